const FIRST_DELAY = 50
/** A node that was started again has its replicas back within a second. */
const LONGEST_DELAY = 500

/**
 * Milliseconds before a source is tried again: twice as long each time, up to half a second, and not the same for
 * replicas that lost it together.
 *
 * @param failures in a row, 1 at least
 * @param random 0 to 1
 */
export function retryDelay(failures: number, random: number): number {
  const longest = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 10))
  return longest * (0.5 + random / 2)
}
