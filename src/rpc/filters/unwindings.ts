import { logsOfBlock } from '../../chain/receipt/block-logs.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import type { NodeEvents } from '../../node/view/events.ts'
import { approximateLogBytes } from '../logs/log-response.ts'

/** A reorganisation that removed the blocks above a height. */
export interface Unwinding {
  /** Sequence of the newest head that shows the removed blocks. */
  readonly after: number
  /** The highest remaining block. */
  readonly lastRemaining: number
  /** All logs of the removed blocks, newest first. */
  readonly logs: readonly LogMatch[]
}

interface Entry extends Unwinding {
  readonly bytes: number
  /** Milliseconds on the monotonic clock. */
  readonly at: number
}

const ALL_LOGS: LogQuery = { addresses: [], topics: [] }
const ENTRY_BYTES = 100

/**
 * Caches the logs that reorganisations removed, for filters that have not been polled since. One bounded list for all
 * filters; a filter that needs a dropped entry ends.
 */
export class Unwindings {
  readonly #maxBytes: number
  #lastRemaining: readonly Entry[] = []
  #bytes = 0
  /** `after` of the newest dropped entry. */
  #lost = -1

  constructor(options: { readonly maxBytes: number }) {
    this.#maxBytes = options.maxBytes
  }

  /** @param after sequence of the head before the reorganisation */
  add({ blocks, isComplete }: NodeEvents['unwound'][0], after: number, now: number): void {
    if (!isComplete) {
      this.#forget(after)
      return
    }
    const oldest = blocks.at(-1)
    if (oldest === undefined) return
    const logs = blocks.flatMap(({ block, receipts }) => [...logsOfBlock(ALL_LOGS, block, receipts)].reverse())
    const bytes = logs.reduce((sum, found) => sum + approximateLogBytes(found), ENTRY_BYTES)
    this.#lastRemaining = [
      ...this.#lastRemaining,
      { after, lastRemaining: oldest.block.header.number - 1, logs, bytes, at: now },
    ]
    this.#bytes += bytes
    while (this.#bytes > this.#maxBytes) this.#dropOldest()
  }

  /** Drops entries that all filters have returned. */
  forgetBefore(instant: number): void {
    while (this.#lastRemaining[0] !== undefined && this.#lastRemaining[0].at < instant) this.#dropOldest()
  }

  /** Reorganisations between two heads, in order; `undefined`: one of them was dropped. */
  between(from: number, to: number): readonly Unwinding[] | undefined {
    if (from <= this.#lost) return undefined
    return this.#lastRemaining.filter(({ after }) => from <= after && after < to)
  }

  /** Drops all entries up to a head. */
  #forget(after: number): void {
    this.#lastRemaining = []
    this.#bytes = 0
    this.#lost = Math.max(this.#lost, after)
  }

  #dropOldest(): void {
    const [oldest, ...rest] = this.#lastRemaining
    if (oldest === undefined) return
    this.#lastRemaining = rest
    this.#bytes -= oldest.bytes
    this.#lost = Math.max(this.#lost, oldest.after)
  }
}
