const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 10_000
/** Milliseconds after which a worker counts as stable. */
const STEADY_MS = 10_000

/** Consecutive early exits of a worker, including one after `ranFor` milliseconds. */
export function failuresInARow(before: number, ranFor: number): number {
  return ranFor >= STEADY_MS ? 1 : before + 1
}

/**
 * Milliseconds before a worker restarts: doubled each time up to ten seconds, since a start costs as much as a thousand
 * requests.
 *
 * @param failures consecutive early exits, at least 1
 */
export function restartDelay(failures: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10))
}
