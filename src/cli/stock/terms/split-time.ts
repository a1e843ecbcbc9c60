import { StockError } from './stock-error.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
/** With the offset from UTC, so that the time does not depend on the local time zone. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/

/** Time of a scheduled multiplier: a date, or a duration from now. */
export interface SplitTimeOptions {
  readonly at: string | undefined
  readonly in: string | undefined
}

/**
 * The requested time in Unix seconds.
 *
 * @param now time of the newest block, Unix seconds
 * @returns Unix seconds
 * @throws StockError `INVALID_INPUT` unless exactly one of both is given, valid and later than `now`
 */
export function splitTime({ at, in: duration }: SplitTimeOptions, now: number): number {
  if ((at === undefined) === (duration === undefined)) {
    throw invalid('say when: either --at with a date such as 2026-12-01T00:00:00Z, or --in with a duration such as 2m')
  }
  const time = at === undefined ? now + parseDuration(duration!) : parseDate(at)
  if (time <= now) throw invalid(`${formatTime(time)} is not after the newest block, which is of ${formatTime(now)}`)
  return time
}

/** @example formatTime(1796083200) // '2026-12-01T00:00:00Z' */
export function formatTime(seconds: number | bigint): string {
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? `Unix time ${seconds}` : date.toISOString().replace('.000Z', 'Z')
}

function parseDate(text: string): number {
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time) || !isDay(text.slice(0, 'yyyy-mm-dd'.length))) {
    throw invalid(`--at wants a date with its time and offset, such as 2026-12-01T00:00:00Z; got ${text}`)
  }
  return time / 1000
}

/** Whether the calendar has the date: Date.parse reads February 30th as March 2nd. */
function isDay(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
}

function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) {
    throw invalid(`--in wants a whole number and one of s, m, h, d, such as 90s or 2m; got ${text}`)
  }
  return Number(count) * SECONDS[unit]!
}

function invalid(message: string): StockError {
  return new StockError('INVALID_INPUT', message)
}
