import type { Timeline } from '../../live/timeline.ts'

/** Cause of new blocks: a transaction, a schedule, a request, or an interval. */
export type BlockProduction =
  | { readonly kind: 'transaction' | 'schedule' | 'request' }
  | { readonly kind: 'interval'; readonly seconds: number }

/** Time over which announcements show a schedule, and how many of them over how long. */
const WINDOW_MS = 5_000
const MIN_ANNOUNCEMENTS = 4
const MIN_SPAN_MS = 1_000

/**
 * Finds the cause of new blocks. No method tells a schedule of flashblocks from blocks on request, but announcements
 * at a steady pace do.
 *
 * @param automine result of `anvil_getAutomine`
 * @param interval result of `anvil_getIntervalMining`
 * @param now Unix time in milliseconds
 */
export function blockProduction(
  { automine, interval }: { readonly automine: unknown; readonly interval: unknown },
  timeline: Timeline,
  now: number,
): BlockProduction {
  if (automine === true) return { kind: 'transaction' }
  if (typeof interval === 'number' && interval > 0) return { kind: 'interval', seconds: interval }
  const { open, sealed } = timeline
  const arrivals = [...sealed, ...(open === undefined ? [] : [open])]
    .flatMap(({ slots }) => slots.map(({ arrivedAt }) => arrivedAt))
    .filter((at) => at > now - WINDOW_MS)
  const span = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)
  const isSteady = arrivals.length >= MIN_ANNOUNCEMENTS && span >= MIN_SPAN_MS
  return { kind: isSteady ? 'schedule' : 'request' }
}

export function blockProductionText(production: BlockProduction): string {
  switch (production.kind) {
    case 'transaction':
      return 'one for each transaction'
    case 'interval':
      return `one every ${production.seconds} s`
    case 'schedule':
      return 'on a schedule'
    case 'request':
      return 'on request only'
  }
}
