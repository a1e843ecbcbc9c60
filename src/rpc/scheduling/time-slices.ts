import type { MayContinue } from '../../engine/types.ts'
import type { Clock } from '../../node/core/clock.ts'
import type { QueuedClient } from '../protocol/rpc-client.ts'
import { REQUEST_SLICE_MS, type RunQueue } from './run-queue.ts'

/** Continues at once, or after other requests ran when the slice is used. `now`: the clock as it was just read. */
export type YieldIfDue = (now?: number) => true | Promise<true>

/** The client has disconnected: the work ends without a response. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/**
 * Divides work into slices. Callers that share the function share the slice.
 *
 * @param startedAt the clock as it was just read
 * @throws ClientGoneError after a yield, when the client has disconnected
 */
export function createYield(
  clock: Clock,
  queue: RunQueue,
  client: QueuedClient & { isGone(): boolean },
  startedAt = clock.monotonic(),
): YieldIfDue {
  let sliceEnd = startedAt + REQUEST_SLICE_MS
  return (now = clock.monotonic()) => {
    if (now < sliceEnd) return true
    return queue.resume(client).then(() => {
      if (client.isGone()) throw new ClientGoneError('the client is gone')
      sliceEnd = clock.monotonic() + REQUEST_SLICE_MS
      return true
    })
  }
}

/**
 * Divides the work of one request into slices and bounds its time.
 *
 * @param limitMs milliseconds in total
 * @param yieldIfDue of the request, or of the batch that it belongs to
 * @param pausedMs milliseconds since the call of this function that do not count
 * @example const mayContinue = timeSlices(clock, 5_000, yieldIfDue); while (await mayContinue()) step()
 */
export function timeSlices(
  clock: Clock,
  limitMs: number,
  yieldIfDue: YieldIfDue,
  pausedMs: () => number = never,
): (now?: number) => ReturnType<MayContinue> {
  const end = clock.monotonic() + limitMs
  return (now = clock.monotonic()) => (now > end && now > end + pausedMs() ? false : yieldIfDue(now))
}

function never(): number {
  return 0
}
