import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { type LogMatch, matchesLog } from '../../chain/receipt/log-query.ts'
import type { View } from '../../node/view/view.ts'
import { formatLog } from '../format/log.ts'
import { timedLog } from '../format/log-json.ts'
import { approximateLogBytes } from '../logs/log-response.ts'
import type { JsonRecord } from '../protocol/json.ts'
import type { YieldIfDue } from '../scheduling/time-slices.ts'
import { highestBlock, isPending, lowestBlock, type WatchedLogs } from './filter-range.ts'
import type { Unwinding } from './unwindings.ts'

/** Position of a filter: logs before log `log` of block `block` have been returned. */
export interface FilterPosition {
  readonly block: number
  readonly log: number
}

export interface LogChanges {
  /** Removed logs, newest first, then added ones in the order of the chain. */
  readonly changes: readonly JsonRecord[]
  readonly position: FilterPosition
  /** Head up to which reorganisations have been returned. */
  readonly sequence: number
}

interface Context {
  readonly view: View
  /** For the milliseconds of blocks. */
  readonly config: Pick<ChainConfig, 'layer2'>
  /** Reorganisations between the head of `sequence` and the view. */
  readonly unwindings: readonly Unwinding[]
  readonly sequence: number
  /** Limits of one response; the rest follows with the next poll. */
  readonly maxLogs: number
  readonly maxLogBytes: number
  readonly yieldIfDue: YieldIfDue
  /** Reports the bytes of the response so far. */
  readonly grown: (bytes: number) => void
}

/** Blocks that are searched before the request yields. */
const SPAN = 32

/** Position of a new filter: behind all current logs. */
export function currentPosition({ range }: WatchedLogs, view: View): FilterPosition {
  if (range.kind === 'block') return { block: 0, log: 0 }
  if (!isPending(range.to)) return { block: highestBlock(range, view) + 1, log: 0 }
  const { block, receipts } = view.head.pending
  const last = receipts.at(-1)
  return { block: block.header.number, log: last === undefined ? 0 : last.firstLogIndex + last.logs.length }
}

/**
 * Changes of a filter up to a view. A log that came and went between two polls is omitted. Any other log is returned
 * once when it is added, and once more with `removed` when it is unwound. Sealing returns nothing again.
 */
export async function logChanges(watched: WatchedLogs, from: FilterPosition, context: Context): Promise<LogChanges> {
  const { query, range } = watched
  const { view, yieldIfDue, grown } = context
  const response = new BoundedLogs(context)
  let position = from
  let { sequence } = context
  if (range.kind === 'block') return { changes: [], position, sequence: view.head.sequence }
  const lowest = lowestBlock(range)
  for (const { after, lastRemaining, logs } of context.unwindings) {
    for (const found of logs) {
      if (!isBefore(found, position)) continue
      const isWanted = found.blockNumber >= lowest && matchesLog(query, found.log)
      if (isWanted && !response.add(found, true)) return { changes: response.encoded, position, sequence }
      position = positionOf(found)
    }
    position = earlier(position, { block: lastRemaining + 1, log: 0 })
    sequence = after + 1
  }
  sequence = view.head.sequence
  const last = highestBlock(range, view)
  for (let first = Math.max(position.block, lowest); first <= last; first += SPAN) {
    if (response.bytes > 0) grown(response.bytes)
    await yieldIfDue()
    for (const found of view.logs(query, first, Math.min(last, first + SPAN - 1))) {
      if (isBefore(found, position)) continue
      if (!response.add(found, false)) return { changes: response.encoded, position: positionOf(found), sequence }
    }
  }
  return { changes: response.encoded, position: later(position, currentPosition(watched, view)), sequence }
}

class BoundedLogs {
  readonly encoded: JsonRecord[] = []
  readonly #options: Pick<Context, 'maxLogs' | 'maxLogBytes' | 'config'>
  #bytes = 0

  constructor(options: Pick<Context, 'maxLogs' | 'maxLogBytes' | 'config'>) {
    this.#options = options
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @returns false when the log has to wait for the next poll; the first log always fits */
  add(found: LogMatch, removed: boolean): boolean {
    const { maxLogs, maxLogBytes, config } = this.#options
    this.#bytes += approximateLogBytes(found)
    if (this.encoded.length > 0 && (this.encoded.length >= maxLogs || this.#bytes > maxLogBytes)) return false
    this.encoded.push(formatLog(timedLog(found, config), removed))
    return true
  }
}

function positionOf({ blockNumber, logIndex }: LogMatch): FilterPosition {
  return { block: blockNumber, log: logIndex }
}

function isBefore(found: LogMatch, position: FilterPosition): boolean {
  return compare(positionOf(found), position) < 0
}

function earlier(a: FilterPosition, b: FilterPosition): FilterPosition {
  return compare(a, b) <= 0 ? a : b
}

function later(a: FilterPosition, b: FilterPosition): FilterPosition {
  return compare(a, b) >= 0 ? a : b
}

function compare(a: FilterPosition, b: FilterPosition): number {
  return a.block - b.block || a.log - b.log
}
