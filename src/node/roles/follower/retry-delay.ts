const FIRST_DELAY = 50
/** The replicas of a restarted node are back within a second. */
const LONGEST_DELAY = 500

/**
 * Milliseconds before the next connection attempt: doubled each time up to half a second, with jitter, since several
 * replicas lose a source together.
 *
 * @param failures consecutive, at least 1
 * @param random 0 to 1
 */
export function retryDelay(failures: number, random: number): number {
  const longest = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 10))
  return longest * (0.5 + random / 2)
}
