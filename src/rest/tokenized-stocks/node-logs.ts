import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { readLoaded } from '../../node/view/loaded-reads.ts'
import type { View } from '../../node/view/view.ts'
import type { LogScan } from './chain-source.ts'

/** Blocks that are searched at once, unless that takes longer than a slice. */
const SPAN_BLOCKS = 1_024
/** Logs of addresses that are not needed any more, after which the search continues without these addresses. */
const MAX_UNNEEDED_LOGS = 256
/** Milliseconds without requests for logs after the other node did not answer one in time. */
const PAUSE_MS = 60_000

/** Time slices and the time limit of the searches of one request. */
export interface ScanClock {
  readonly isSliceOver: boolean
  /** Whether the searches have used their time, which begins with the first one. */
  readonly isTimeOver: boolean
  /** Yields to the event loop. */
  nextSlice(): Promise<void>
}

interface Deps {
  readonly clock: ScanClock
  readonly logsBelow: LogsBelow
}

/** Searches the logs of the chain of a node (`ChainReads.scanLogs`). */
export async function scanNodeLogs(view: View, scan: LogScan, { clock, logsBelow }: Deps): Promise<number | undefined> {
  const { below, oldestBlock } = view.head.base
  const needed = new NeededLogs(scan)
  const own = Math.max(scan.from, below === undefined ? oldestBlock : below.number + 1)
  let since = own
  if (below !== undefined && scan.from <= below.number) {
    const lower = await logsBelow.read(view, scan)
    for (const match of lower ?? []) needed.pass(match)
    if (lower !== undefined) since = scan.from
  }
  const isComplete = await scanOwnLogs(view, { from: own, to: scan.to }, { needed, clock })
  return isComplete ? since : undefined
}

/** The logs of a search that its visitor still needs. */
class NeededLogs {
  readonly #scan: LogScan
  readonly #addresses: Set<string>
  /** Logs since the query was made that are not needed any more. */
  #unneeded = 0

  constructor(scan: LogScan) {
    this.#scan = scan
    this.#addresses = new Set(scan.query.addresses)
  }

  get isEmpty(): boolean {
    return this.#addresses.size === 0
  }

  /** Whether a new query would find far fewer logs. */
  get isQueryOutdated(): boolean {
    return this.#unneeded > MAX_UNNEEDED_LOGS
  }

  query(): LogScan['query'] {
    this.#unneeded = 0
    const { addresses, topics } = this.#scan.query
    return { addresses: addresses.filter((address) => this.#addresses.has(address)), topics }
  }

  pass(match: LogMatch): void {
    const { address } = match.log
    if (!this.#addresses.has(address)) this.#unneeded += 1
    else if (!this.#scan.visit(match)) this.#addresses.delete(address)
  }
}

/** Ends the search of a span that takes longer than a slice. */
class SliceEnded extends Error {
  override readonly name = 'SliceEnded'
}

/** Searches span by span, so that other work runs in between. @returns whether the search reached its end in time */
async function scanOwnLogs(
  view: View,
  { from, to }: Pick<LogScan, 'from' | 'to'>,
  { needed, clock }: { readonly needed: NeededLogs; readonly clock: ScanClock },
): Promise<boolean> {
  let next = { block: from, logIndex: 0 }
  let span = SPAN_BLOCKS
  while (next.block <= to && !needed.isEmpty) {
    if (clock.isTimeOver) return false
    if (clock.isSliceOver) await clock.nextSlice()
    const last = Math.min(to, next.block + span - 1)
    const checkpoint = () => {
      if (clock.isTimeOver || (last > next.block && clock.isSliceOver)) throw new SliceEnded()
    }
    try {
      for (const match of view.logs(needed.query(), next.block, last, checkpoint)) {
        if (clock.isTimeOver) return false
        if (clock.isSliceOver) await clock.nextSlice()
        const { blockNumber, logIndex } = match
        if (blockNumber === next.block && logIndex < next.logIndex) continue
        next = { block: blockNumber, logIndex: logIndex + 1 }
        needed.pass(match)
        if (needed.isEmpty || needed.isQueryOutdated) break
      }
      if (needed.isQueryOutdated) continue
      next = { block: last + 1, logIndex: 0 }
      span = Math.min(SPAN_BLOCKS, span * 2)
    } catch (error) {
      if (!(error instanceof SliceEnded)) throw error
      span = Math.max(1, span >> 2)
    }
  }
  return true
}

/**
 * Logs of the blocks that another node has (fork mode), in one request for all of them: public nodes refuse millions of
 * blocks, and requests for parts could take hours. The dates of listings are not worth the retries and timeouts of
 * other reads, nor the requests that would wait for the same node.
 */
export class LogsBelow {
  readonly #now: () => number
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor({ now }: { readonly now: () => number }) {
    this.#now = now
  }

  /** `undefined`: the other node does not answer for the whole range. */
  async read(view: View, { query, from, to }: LogScan): Promise<readonly LogMatch[] | undefined> {
    const below = view.head.base.below!
    if (this.#now() < this.#pausedUntil) return undefined
    try {
      return await readLoaded(view, () => below.logs(query, from, Math.min(to, below.number), true))
    } catch (error) {
      if (!isForkFailure(error)) throw error
      if (error.code === 'FORK_TIMEOUT') this.#pausedUntil = this.#now() + PAUSE_MS
      return undefined
    }
  }
}

/** Whether the node on whose chain this one is forked failed; the message of such an error contains no keys. */
export function isForkFailure(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FORK_')
}
