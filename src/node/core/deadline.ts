import type { Clock } from './clock.ts'

/** Milliseconds that a caller waits for another process to answer. */
export const ANSWER_LIMIT = 30_000

/**
 * Settles as `awaited` does, or after `limit` milliseconds with the result of `late`.
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

/**
 * Settles as `work` does, or as soon as `signal` is aborted.
 *
 * @param late releases a result that comes after the abort
 * @throws what `work` throws, or the reason of `signal`
 */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  late: (result: Result) => void = () => undefined,
): Promise<Result> {
  if (signal === undefined) return work
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
  })
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  try {
    return await Promise.race([work, aborted])
  } catch (error) {
    work.then(late, () => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
