import type { Clock } from './clock.ts'

/** Milliseconds that somebody waits for another process to answer. */
export const ANSWER_LIMIT = 30_000

/**
 * Settles as `awaited` does, or after so many milliseconds with what `late` gives.
 *
 * @throws what `awaited` or `late` throws
 */
export async function inTime<Result, Late>(
  awaited: Promise<Result>,
  limit: number,
  clock: Pick<Clock, 'monotonic' | 'at'>,
  late: () => Late,
): Promise<Result | Late> {
  let cancel = () => {}
  const isLate = new Promise<undefined>((resolve) => {
    cancel = clock.at(clock.monotonic() + limit, () => resolve(undefined))
  })
  try {
    return await Promise.race([awaited, isLate.then(late)])
  } finally {
    cancel()
  }
}
