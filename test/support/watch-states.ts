import type { WatchState } from '../../src/cli/watch/watch-state.ts'
import type { FlashblockArrival } from '../../src/live/flashblock-arrival.ts'
import { NO_NAMES } from '../../src/live/names/names.ts'
import { NO_VISIBILITY } from '../../src/live/sent-to-visible.ts'
import { EMPTY_TIMELINE, nextTimeline, type Timeline, type TimelineEvent } from '../../src/live/timeline.ts'

/** A flashblock of block `number` with `index` transactions, punctual to the millisecond. */
export function arrivalOf(number: number, index: number, more: Partial<FlashblockArrival> = {}): FlashblockArrival {
  const transactions = Array.from({ length: index }, (_, position) => ({
    hash: `0x${number}${index}${position}`.padEnd(66, '0'),
    to: '0x5700000000000000000000000000000000000001',
    value: 1_500_000_000_000_000_000n,
    selector: '0xa9059cbb',
  }))
  return {
    payloadId: `payload ${number}`,
    index,
    blockNumber: number,
    blockHash: `0x${number}${index}`.padEnd(66, 'b'),
    gasUsed: BigInt(index) * 50_000n,
    transactionCount: transactions.length,
    transactions,
    base:
      index === 0 ? { parentHash: `0x${number - 1}9`.padEnd(66, 'b'), timestamp: 1n, gasLimit: 1_000_000n } : undefined,
    isSealed: false,
    arrivedAt: (number * 10 + index) * 200,
    ...more,
  }
}

/** A whole block of a chain without flashblocks. */
export function wholeBlock(number: number, more: Partial<FlashblockArrival> = {}): FlashblockArrival {
  const base = { parentHash: `0x${number - 1}`.padEnd(66, 'b'), timestamp: 1n, gasLimit: 1_000_000n }
  const blockHash = `0x${number}`.padEnd(66, 'b')
  return { ...arrivalOf(number, 0), payloadId: blockHash, blockHash, base, isSealed: true, ...more }
}

/** Blocks `first` to `last` with ten flashblocks each. */
export function arrivalsOf(first: number, last: number): readonly FlashblockArrival[] {
  return Array.from({ length: (last - first + 1) * 10 }, (_, slot) =>
    arrivalOf(first + Math.floor(slot / 10), slot % 10),
  )
}

/** A connected state with the timeline of events. */
export function watchState(
  events: readonly (FlashblockArrival | TimelineEvent)[],
  more: Partial<Omit<WatchState, 'live'>> & { readonly live?: Partial<WatchState['live']> } = {},
): WatchState {
  const timeline = events.reduce<Timeline>(
    (before, event) => nextTimeline(before, 'kind' in event ? event : { kind: 'flashblock', arrival: event }),
    EMPTY_TIMELINE,
  )
  return {
    url: 'http://127.0.0.1:8545',
    node: { chainId: 8453n, clientVersion: 'Tickertape/v1' },
    connection: { kind: 'live', since: 0, heardAt: 0 },
    pool: { pending: 12, queued: 1_234 },
    names: NO_NAMES,
    ...more,
    live: {
      mode: 'flashblocks',
      timeline,
      shown: timeline,
      past: [],
      isPaused: false,
      queued: 0,
      forgotten: 0,
      visibility: NO_VISIBILITY,
      ...more.live,
    },
  }
}
