import type { MayContinue } from '../../engine/types.ts'
import type { Clock } from '../../node/core/clock.ts'
import { type RunQueue, SLICE } from './run-queue.ts'

/** Goes on at once, or after others had their turn when the slice is used up. `now`: where the clock was just read. */
export type YieldIfDue = (now?: number) => true | Promise<true>

/** Nobody is there any more to read the answer: the work ends. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/**
 * Divides work into slices; whoever shares them shares the slice. After a turn of others it ends with
 * `ClientGoneError` when the client is gone.
 *
 * @param begun where the clock was just read
 */
export function createYield(
  clock: Clock,
  queue: RunQueue,
  client?: { isGone(): boolean },
  begun = clock.monotonic(),
): YieldIfDue {
  let sliceEnd = begun + SLICE
  return (now = clock.monotonic()) => {
    if (now < sliceEnd) return true
    return queue.goOn().then(() => {
      if (client?.isGone()) throw new ClientGoneError('the client is gone')
      sliceEnd = clock.monotonic() + SLICE
      return true
    })
  }
}

/**
 * Divides the work of one request into slices and bounds it.
 *
 * @param limit milliseconds in all
 * @param yieldIfDue of the request, or of the batch that it is part of
 * @example const mayContinue = timeSlices(clock, 5_000, yieldIfDue); while (await mayContinue()) step()
 */
export function timeSlices(
  clock: Clock,
  limit: number,
  yieldIfDue: YieldIfDue,
): (now?: number) => ReturnType<MayContinue> {
  const end = clock.monotonic() + limit
  return (now = clock.monotonic()) => (now > end ? false : yieldIfDue(now))
}
