const FIRST_DELAY = 100
const LONGEST_DELAY = 10_000
/** Milliseconds after which a worker was not one that cannot run. */
const STEADY = 10_000

/** Times in a row that a worker ended soon, with the one that ended now after `ranFor` milliseconds. */
export function failuresInARow(before: number, ranFor: number): number {
  return ranFor >= STEADY ? 1 : before + 1
}

/**
 * Milliseconds before a worker is started again: twice as long each time, up to ten seconds, since a start takes as much of
 * the machine as a thousand requests.
 *
 * @param failures in a row, 1 at least
 */
export function restartDelay(failures: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 10))
}
