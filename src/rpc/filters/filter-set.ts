import { criteriaCount } from '../../chain/receipt/log-query.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { View } from '../../node/view/view.ts'
import type { Bytes, Hash, Hex } from '../../primitives/hex.ts'
import { bytesToBigint, toQuantity } from '../../primitives/quantity.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { FilterLimits } from '../protocol/limits.ts'
import type { WatchedLogs } from './filter-range.ts'
import { currentPosition, type FilterPosition } from './log-changes.ts'
import { Unwindings } from './unwindings.ts'

/**
 * Hashes of transactions in the order in which they entered the pool, numbered from 0. The newest ones are cached, once
 * for all filters.
 */
class PooledHashes {
  readonly #capacity: number
  readonly #ring: Hash[] = []
  #count = 0

  constructor(options: { readonly capacity: number }) {
    this.#capacity = options.capacity
  }

  /** Number of the next hash. */
  get count(): number {
    return this.#count
  }

  add(hash: Hash): void {
    this.#ring[this.#count % this.#capacity] = hash
    this.#count += 1
  }

  /** At most `limit` hashes from number `first` on; `undefined`: some are not cached any more. */
  from(first: number, limit: number): readonly Hash[] | undefined {
    if (this.#count - first > this.#capacity) return undefined
    const length = Math.min(limit, this.#count - first)
    return Array.from({ length }, (_, index) => this.#ring[(first + index) % this.#capacity]!)
  }

  /** Drops the cached hashes; numbering continues. */
  clear(): void {
    this.#ring.length = 0
  }
}

/** The subject of a filter and its position. */
export type FilterState =
  /** `sequence`: head up to which reorganisations have been returned. */
  | { kind: 'logs'; readonly watched: WatchedLogs; position: FilterPosition; sequence: number }
  | { kind: 'blocks'; next: number; sequence: number }
  | { kind: 'transactions'; readonly full: boolean; next: number }

/** A filter. Its polls run one after another. */
export interface Filter {
  readonly client: string
  readonly criteria: number
  readonly state: FilterState
  /** Milliseconds on the monotonic clock. */
  polledAt: number
  /** Settles when no poll is running. */
  polling: Promise<unknown>
  /** Polls so far. */
  polls: number
  /** Range of the polls that were put back last. */
  putBack: { readonly from: number; readonly to: number }
}

interface Deps {
  readonly node: Pick<ServedNode, 'events' | 'view'>
  readonly now: () => number
  readonly randomBytes: (size: number) => Bytes
}

interface Usage {
  filters: number
  criteria: number
}

/**
 * All filters of a node. A filter is a position, not a queue: a poll reads the changes from the chain, so a filter that
 * is not polled costs nothing and expires.
 */
export class FilterSet {
  readonly unwindings: Unwindings
  readonly pooled: PooledHashes
  readonly #options: FilterLimits
  readonly #deps: Deps
  /** Least recently polled first. */
  readonly #filters = new Map<string, Filter>()
  readonly #usage = new Map<string, Usage>()
  #criteria = 0
  #transactionFilters = 0

  constructor(options: FilterLimits, deps: Deps) {
    this.#options = options
    this.#deps = deps
    this.unwindings = new Unwindings({ maxBytes: options.maxFilterRemovedBytes })
    this.pooled = new PooledHashes({ capacity: options.maxFilterHashes })
    const { events } = deps.node
    // The event comes before a head without the blocks: the current head is the last one that has them.
    events.on('unwound', (event) => this.unwindings.add(event, deps.node.view().head.sequence, deps.now()))
    events.on('pooled', ({ hash }) => {
      if (this.#transactionFilters > 0) this.pooled.add(hash)
    })
    events.on('sealed', () => this.#expire())
  }

  get size(): number {
    return this.#filters.size
  }

  /** @throws RpcError -32006 when a limit is reached */
  watchLogs(watched: WatchedLogs, client: string, view: View): Hex {
    const position = currentPosition(watched, view)
    const state: FilterState = { kind: 'logs', watched, position, sequence: view.head.sequence }
    return this.#open(state, criteriaCount(watched.query), client)
  }

  /** @param includesLatest whether the first changes include the newest existing block */
  watchBlocks(client: string, { head }: View, { includesLatest }: { readonly includesLatest: boolean }): Hex {
    const next = head.sealed.latest + (includesLatest ? 0 : 1)
    return this.#open({ kind: 'blocks', next, sequence: head.sequence }, 0, client)
  }

  /** @param full return whole transactions instead of hashes */
  watchTransactions(full: boolean, client: string): Hex {
    return this.#open({ kind: 'transactions', full, next: this.pooled.count }, 0, client)
  }

  /** Returns the filter, if it exists, and restarts its lifetime. */
  get(id: string): Filter | undefined {
    this.#expire()
    const filter = this.#filters.get(id)
    if (filter === undefined) return undefined
    filter.polledAt = this.#deps.now()
    this.#filters.delete(id)
    this.#filters.set(id, filter)
    return filter
  }

  /** Removes a filter. @returns whether it existed */
  close(id: string): boolean {
    this.#expire()
    return this.#close(id)
  }

  #open(state: FilterState, criteria: number, client: string): Hex {
    this.#expire()
    const usage = this.#usage.get(client) ?? { filters: 0, criteria: 0 }
    this.#checkLimits(usage, criteria)
    // A quantity, like subscription ids; random, so that it cannot be guessed.
    const id = toQuantity(bytesToBigint(this.#deps.randomBytes(16)))
    this.#filters.set(id, {
      client,
      criteria,
      state,
      polledAt: this.#deps.now(),
      polling: Promise.resolve(),
      polls: 0,
      putBack: { from: 0, to: 0 },
    })
    this.#usage.set(client, { filters: usage.filters + 1, criteria: usage.criteria + criteria })
    this.#criteria += criteria
    if (state.kind === 'transactions') this.#transactionFilters += 1
    return id
  }

  #checkLimits(usage: Usage, criteria: number): void {
    const { maxFilters, maxFiltersPerClient, maxFilterCriteria, maxFilterCriteriaPerClient, filterLifetimeMs } =
      this.#options
    const advice = `uninstall those that are not needed; one that is not polled ends after ${filterLifetimeMs / 1000} s`
    if (usage.filters >= maxFiltersPerClient)
      throw tooMany(`too many filters of the client, limit ${maxFiltersPerClient}: ${advice}`)
    if (this.#filters.size >= maxFilters) throw tooMany(`too many filters, limit ${maxFilters}: try again later`)
    if (usage.criteria + criteria > maxFilterCriteriaPerClient) {
      throw tooMany(
        `too many addresses and topics in the filters of the client: ${usage.criteria} and ${criteria} ` +
          `more, limit ${maxFilterCriteriaPerClient}: ${advice}`,
      )
    }
    if (this.#criteria + criteria > maxFilterCriteria) {
      throw tooMany(`too many addresses and topics in all filters, limit ${maxFilterCriteria}: try again later`)
    }
  }

  #expire(): void {
    const oldest = this.#deps.now() - this.#options.filterLifetimeMs
    for (const [id, { polledAt }] of this.#filters) {
      if (polledAt >= oldest) break
      this.#close(id)
    }
    this.unwindings.forgetBefore(oldest)
  }

  #close(id: string): boolean {
    const filter = this.#filters.get(id)
    if (filter === undefined) return false
    const { client, criteria, state } = filter
    this.#filters.delete(id)
    this.#criteria -= criteria
    const usage = this.#usage.get(client)!
    usage.filters -= 1
    usage.criteria -= criteria
    if (usage.filters === 0) this.#usage.delete(client)
    if (state.kind === 'transactions') this.#transactionFilters -= 1
    if (this.#transactionFilters === 0) this.pooled.clear()
    return true
  }
}

function tooMany(message: string): RpcError {
  return new RpcError(RPC_CODES.tooManySubscriptions, message)
}
