import type { Clock } from '../node/clock.ts'

/** Milliseconds of work after which others get a turn: a flashblock must not wait for a reader. */
const SLICE = 10

/** Asked between steps of long work; `false` when its time is up. */
export type MayContinue = () => boolean | Promise<boolean>

/**
 * Divides the work of one request into slices and bounds it.
 *
 * @param limit milliseconds in all
 * @example const mayContinue = timeSlices(clock, 5_000); while (await mayContinue()) step()
 */
export function timeSlices(clock: Clock, limit: number): MayContinue {
  const end = clock.monotonic() + limit
  let sliceEnd = clock.monotonic() + SLICE
  return () => {
    const now = clock.monotonic()
    if (now > end) return false
    if (now < sliceEnd) return true
    return new Promise((resolve) => {
      clock.at(now, () => {
        sliceEnd = clock.monotonic() + SLICE
        resolve(true)
      })
    })
  }
}
