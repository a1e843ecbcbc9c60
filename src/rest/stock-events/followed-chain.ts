import type { Log } from '../../chain/receipt/log.ts'
import type { EmitterFilter, LoggedFlashblock, NumberedLogs } from '../../node/log/record-history.ts'
import type { Address } from '../../primitives/hex.ts'
import { MAX_DISCOVERED } from '../tokenized-stocks/token-reads.ts'
import { changeIn, multiplierChange, newTokenIn, priceIn } from './log-changes.ts'
import type { PlacedChange, TokenChange, TokenState } from './token-state.ts'

/** The tokens whose changes are followed. */
export interface FollowedTokens {
  readonly states: ReadonlyMap<Address, TokenState>
  /** Price feeds with their decimals and the tokens that they price. */
  readonly feeds: ReadonlyMap<Address, { readonly decimals: number; readonly tokens: readonly Address[] }>
  /** Tokens whose supply counts shares already: their multiplier stays 1. */
  readonly withoutMultiplier: ReadonlySet<Address>
  /** Addresses that may get a token later: that of the registry. */
  readonly awaited: ReadonlySet<Address>
  /** The factory whose new tokens are followed too, and how many of its tokens are listed already. */
  readonly factory: { readonly address: Address; readonly listed: number } | undefined
}

/** Chooses the logs of followed tokens, of their feeds and of tokens that the factory creates. */
export class FollowedLogs implements EmitterFilter {
  readonly #factory: Address | undefined
  readonly #wanted: Set<Address>

  constructor({ states, feeds, awaited, factory }: FollowedTokens) {
    this.#factory = factory?.address
    this.#wanted = new Set([...states.keys(), ...feeds.keys(), ...awaited])
    if (factory !== undefined) this.#wanted.add(factory.address)
  }

  note(log: Log): void {
    const created = log.address === this.#factory ? newTokenIn(log) : undefined
    if (created !== undefined) this.#wanted.add(created.token)
  }

  isWanted(address: Address): boolean {
    return this.#wanted.has(address)
  }
}

/** A flashblock as the chain is now. */
interface Point {
  readonly number: number
  readonly changes: readonly PlacedChange[]
  /** Tokens that it changed, with their values before; `undefined`: there was no such token. */
  readonly undo: readonly (readonly [Address, TokenState | undefined])[]
}

/** The changes of a record. */
export interface ChangeStep {
  /** Newest first. */
  readonly removed: readonly PlacedChange[]
  readonly added: readonly PlacedChange[]
}

const NOTHING: ChangeStep = { removed: [], added: [] }

/**
 * The values of followed tokens, record by record: a function of the values at the beginning and of the records. Only
 * that makes the changes equal on all nodes, and after a restart.
 */
export class FollowedChain {
  readonly #maxPoints: number
  readonly #followed: FollowedTokens
  readonly #tokens: Map<Address, TokenState>
  readonly #scheduled = new Set<Address>()
  /** The newest block below the points. */
  #base: number
  /** Oldest first. */
  #points: Point[] = []

  /** @param base the block as of which `followed` has the values */
  constructor({ base, maxPoints }: { readonly base: number; readonly maxPoints: number }, followed: FollowedTokens) {
    this.#base = base
    this.#maxPoints = maxPoints
    this.#followed = followed
    this.#tokens = new Map(followed.states)
    for (const [token, { scheduled }] of this.#tokens) if (scheduled !== undefined) this.#scheduled.add(token)
  }

  /**
   * Applies the next record.
   *
   * @returns `undefined`: the values cannot be followed any more. Blocks below the beginning were unwound, a token was
   * changed from outside, or an awaited token has appeared.
   */
  apply({ record }: Pick<NumberedLogs, 'record'>): ChangeStep | undefined {
    switch (record.kind) {
      case 'other':
        return NOTHING
      case 'alter':
        return this.#hasAny(record.altered) ? undefined : NOTHING
      case 'unwind': {
        if (this.#hasAny(record.altered)) return undefined
        const removed = this.#unwind(record.number)
        return removed && { removed, added: [] }
      }
      case 'flashblock': {
        // Where blocks are built on demand, an empty open block is replaced.
        const removed = record.index === 0 ? this.#unwind(record.number - 1) : []
        const added = removed && this.#add(record)
        return added && { removed, added }
      }
    }
  }

  /** The changes of the newest block, oldest first. */
  get newestBlock(): readonly PlacedChange[] {
    const number = this.#points.at(-1)?.number
    return this.#points.filter((point) => point.number === number).flatMap(({ changes }) => changes)
  }

  #hasAny(addresses: ReadonlySet<Address>): boolean {
    for (const address of addresses) if (this.#tokens.has(address)) return true
    return false
  }

  #unwind(number: number): readonly PlacedChange[] | undefined {
    if (number < this.#base) return undefined
    const removed: PlacedChange[] = []
    for (let point = this.#points.at(-1); point !== undefined && point.number > number; point = this.#points.at(-1)) {
      this.#points.pop()
      removed.push(...point.changes.toReversed())
      for (const [token, before] of point.undo.toReversed()) this.#set(token, before)
    }
    return removed
  }

  #add(block: LoggedFlashblock): readonly PlacedChange[] | undefined {
    const changes: PlacedChange[] = []
    const undo: [Address, TokenState | undefined][] = []
    const set = (token: Address, after: TokenState) => {
      undo.push([token, this.#tokens.get(token)])
      this.#set(token, after)
    }
    const { number, index: flashblock, timestamp } = block
    const common = { number, flashblock, timestamp }
    for (const token of this.#due(timestamp)) {
      const before = this.#tokens.get(token)!
      const due = multiplierChange(before, before.scheduled!.multiplier)
      set(token, due?.after ?? { ...before, scheduled: undefined })
      if (due === undefined) continue
      changes.push({ ...common, ...due, token, source: undefined, place: `${number}.${flashblock}t${token.slice(2)}` })
    }
    for (const { log, logIndex, transactionHash } of block.logs) {
      const created = this.#createdIn(log)
      if (created !== undefined) set(created.token, created.state)
      const found = this.#changesIn(log, timestamp)
      if (found === undefined) return undefined
      for (const [nth, { token, after, change }] of found.entries()) {
        set(token, after)
        const place = nth === 0 ? `${number}.${logIndex}` : `${number}.${logIndex}.${nth}`
        changes.push({ ...common, token, after, change, source: { transactionHash, logIndex }, place })
      }
    }
    this.#points.push({ number, changes, undo })
    this.#forget()
    return changes
  }

  #createdIn(log: Log): ReturnType<typeof newTokenIn> {
    const { factory } = this.#followed
    if (log.address !== factory?.address) return undefined
    const listed = factory.listed + this.#tokens.size - this.#followed.states.size
    if (listed >= MAX_DISCOVERED) return undefined
    const created = newTokenIn(log)
    return created === undefined || this.#tokens.has(created.token) ? undefined : created
  }

  /** `undefined`: the log is of a token that has appeared since the beginning. */
  #changesIn(
    log: Log,
    timestamp: bigint,
  ): readonly { readonly token: Address; readonly after: TokenState; readonly change: TokenChange }[] | undefined {
    const { feeds, withoutMultiplier, awaited } = this.#followed
    const feed = feeds.get(log.address)
    if (feed !== undefined) {
      const change = priceIn(log, feed.decimals)
      const priced = feed.tokens.filter((token) => this.#tokens.has(token))
      return change === undefined ? [] : priced.map((token) => ({ token, after: this.#tokens.get(token)!, change }))
    }
    const before = this.#tokens.get(log.address)
    if (before === undefined) return awaited.has(log.address) ? undefined : []
    const found = changeIn(log, before, timestamp)
    if (found === undefined) return []
    const { multiplier, scheduled } = found.after
    const isOfMultiplier = multiplier !== before.multiplier || scheduled !== before.scheduled
    return isOfMultiplier && withoutMultiplier.has(log.address) ? [] : [{ token: log.address, ...found }]
  }

  /** Tokens whose scheduled multiplier applies, in the order of their addresses. */
  #due(timestamp: bigint): readonly Address[] {
    return [...this.#scheduled].filter((token) => this.#tokens.get(token)!.scheduled!.effectiveAt <= timestamp).sort()
  }

  #set(token: Address, state: TokenState | undefined): void {
    if (state === undefined) this.#tokens.delete(token)
    else this.#tokens.set(token, state)
    if (state?.scheduled === undefined) this.#scheduled.delete(token)
    else this.#scheduled.add(token)
  }

  /** Forgets whole blocks, in large steps. */
  #forget(): void {
    if (this.#points.length < 2 * this.#maxPoints) return
    const base = this.#points[this.#maxPoints]!.number - 1
    this.#points = this.#points.filter(({ number }) => number > base)
    this.#base = base
  }
}
