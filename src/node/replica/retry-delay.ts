const FIRST_DELAY = 100
const LONGEST_DELAY = 5_000

/**
 * Milliseconds before a source is tried again: twice as long each time, up to five seconds, and not the same for replicas
 * that lost it together.
 *
 * @param failures in a row, 1 at least
 * @param random 0 to 1
 */
export function retryDelay(failures: number, random: number): number {
  const longest = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 10))
  return longest * (0.5 + random / 2)
}
