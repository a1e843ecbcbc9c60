import type { MayContinue } from '../engine/types.ts'
import type { Clock } from '../node/clock.ts'

/** Milliseconds of work after which others get a turn: a flashblock must not wait for a reader. */
export const SLICE = 10

/** Goes on at once, or after others had their turn when the slice is used up. */
export type Turns = () => true | Promise<true>

/** Divides work into slices; whoever shares them shares the slice. */
export function turns(clock: Clock): Turns {
  let sliceEnd = clock.monotonic() + SLICE
  return () => {
    const now = clock.monotonic()
    if (now < sliceEnd) return true
    return new Promise((resolve) => {
      clock.at(now, () => {
        sliceEnd = clock.monotonic() + SLICE
        resolve(true)
      })
    })
  }
}

/**
 * Divides the work of one request into slices and bounds it.
 *
 * @param limit milliseconds in all
 * @param turn of the batch that the request is part of
 * @example const mayContinue = timeSlices(clock, 5_000); while (await mayContinue()) step()
 */
export function timeSlices(clock: Clock, limit: number, turn: Turns = turns(clock)): MayContinue {
  const end = clock.monotonic() + limit
  return () => (clock.monotonic() > end ? false : turn())
}
