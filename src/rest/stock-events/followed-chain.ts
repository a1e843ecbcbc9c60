import type { Log } from '../../chain/receipt/log.ts'
import type { LogQuery } from '../../chain/receipt/log-query.ts'
import type { LoggedFlashblock, NumberedLogs, RecordLogFilter } from '../../node/log/record-history.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import { MAX_DISCOVERED } from '../tokenized-stocks/token-reads.ts'
import { changeIn, isRelevant, multiplierChange, newTokenIn, priceIn, relevantLogs } from './log-changes.ts'
import type { PlacedChange, TokenChange, TokenState } from './token-state.ts'

/** The tokens whose changes are followed. */
export interface FollowedTokens {
  readonly states: ReadonlyMap<Address, TokenState>
  /** Price feeds with their decimals and the tokens that they price. */
  readonly feeds: ReadonlyMap<Address, { readonly decimals: number; readonly tokens: readonly Address[] }>
  /** Tokens whose supply counts shares already: their multiplier stays 1. */
  readonly withoutMultiplier: ReadonlySet<Address>
  /** Addresses of the registry without code, which may get a token later. */
  readonly awaited: ReadonlySet<Address>
  /** The factory whose new tokens are followed too, and how many of its tokens are listed already. */
  readonly factory: { readonly address: Address; readonly listed: number } | undefined
}

/** Chooses the logs from which changes of followed tokens and of tokens that the factory creates follow. */
export class FollowedLogs implements RecordLogFilter {
  readonly #factory: Address | undefined
  readonly #wanted: Set<Address>
  readonly #awaited: ReadonlySet<Address>
  #queries: readonly LogQuery[] | undefined

  constructor({ states, feeds, awaited, factory }: FollowedTokens) {
    this.#awaited = awaited
    this.#factory = factory?.address
    this.#wanted = new Set([...states.keys(), ...feeds.keys()])
    if (factory !== undefined) this.#wanted.add(factory.address)
  }

  note(log: Log): void {
    const created = log.address === this.#factory ? newTokenIn(log) : undefined
    if (created === undefined || this.#wanted.has(created.token)) return
    this.#wanted.add(created.token)
    this.#queries = undefined
  }

  /** Queries that find these logs; other ones after a log of a new token was noted. */
  get queries(): readonly LogQuery[] {
    this.#queries ??= relevantLogs([...this.#wanted, ...this.#awaited])
    return this.#queries
  }

  isWanted(log: Log): boolean {
    return this.#awaited.has(log.address) || (this.#wanted.has(log.address) && isRelevant(log))
  }
}

/** A flashblock as the chain is now. */
interface Point {
  readonly number: number
  readonly parentHash: Hash
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
  readonly #readAt: number
  readonly #followed: FollowedTokens
  readonly #tokens: Map<Address, TokenState>
  readonly #scheduled = new Set<Address>()
  /** The newest block below the points. */
  #base: number
  /** Oldest first. */
  #points: Point[] = []

  /**
   * @param options.base the block as of which `followed` has the values
   * @param options.readAt the record after which the tokens were determined: those of later records may be new
   */
  constructor(
    { base, maxPoints, readAt }: { readonly base: number; readonly maxPoints: number; readonly readAt: number },
    followed: FollowedTokens,
  ) {
    this.#base = base
    this.#readAt = readAt
    this.#maxPoints = maxPoints
    this.#followed = followed
    this.#tokens = new Map(followed.states)
    for (const [token, { scheduled }] of this.#tokens) if (scheduled !== undefined) this.#scheduled.add(token)
  }

  /**
   * Applies the next record.
   *
   * @returns `undefined`: the values cannot be followed any more. Blocks below the beginning were unwound, a token was
   * changed from outside, an awaited token has appeared, or the record does not continue the earlier ones.
   */
  apply({ sequence, record }: NumberedLogs): ChangeStep | undefined {
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
        // An empty open block is replaced if blocks are built on demand.
        const removed = record.index === 0 ? this.#unwind(record.number - 1) : []
        const added = removed && this.#continues(record) ? this.#add(record, sequence) : undefined
        return removed && added && { removed, added }
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

  /** A record of another history, such as that of a snapshot, must not be applied to these values. */
  #continues({ number, index, parentHash }: LoggedFlashblock): boolean {
    const newest = this.#points.at(-1)
    if (newest === undefined) return true
    return index === 0 ? newest.number === number - 1 : newest.number === number && newest.parentHash === parentHash
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

  #add(block: LoggedFlashblock, sequence: number): readonly PlacedChange[] | undefined {
    const changes: PlacedChange[] = []
    const undo: [Address, TokenState | undefined][] = []
    const set = (token: Address, after: TokenState) => {
      undo.push([token, this.#tokens.get(token)])
      this.#set(token, after)
    }
    const { number, parentHash, index: flashblock, timestamp } = block
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
      if (sequence > this.#readAt && this.#followed.awaited.has(log.address)) return undefined
      const found = this.#changesIn(log, timestamp)
      for (const [nth, { token, after, change }] of found.entries()) {
        set(token, after)
        const place = nth === 0 ? `${number}.${logIndex}` : `${number}.${logIndex}.${nth}`
        changes.push({ ...common, token, after, change, source: { transactionHash, logIndex }, place })
      }
    }
    this.#points.push({ number, parentHash, changes, undo })
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

  #changesIn(
    log: Log,
    timestamp: bigint,
  ): readonly { readonly token: Address; readonly after: TokenState; readonly change: TokenChange }[] {
    const { feeds, withoutMultiplier } = this.#followed
    const feed = feeds.get(log.address)
    if (feed !== undefined) {
      const change = priceIn(log, feed.decimals)
      const priced = feed.tokens.filter((token) => this.#tokens.has(token))
      return change === undefined ? [] : priced.map((token) => ({ token, after: this.#tokens.get(token)!, change }))
    }
    const before = this.#tokens.get(log.address)
    if (before === undefined) return []
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
