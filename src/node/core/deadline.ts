import type { Clock } from './clock.ts'

/** Milliseconds that a caller waits for another process to respond. */
export const RESPONSE_TIMEOUT_MS = 30_000

/**
 * Settles like `awaited`, or after `limit` milliseconds with the result of `late`.
 *
 * @throws what `awaited` or `late` throws
 */
export async function inTime<Result, Timeout>(
  awaited: Promise<Result>,
  limit: number,
  clock: Pick<Clock, 'monotonic' | 'at'>,
  onTimeout: () => Timeout,
): Promise<Result | Timeout> {
  let cancel = () => {}
  const timeout = new Promise<undefined>((resolve) => {
    cancel = clock.at(clock.monotonic() + limit, () => resolve(undefined))
  })
  try {
    return await Promise.race([awaited, timeout.then(onTimeout)])
  } finally {
    cancel()
  }
}

/**
 * Settles like `work`, or as soon as `signal` is aborted.
 *
 * @param onTimeout releases a result that arrives after the abort
 * @throws what `work` throws, or the reason of `signal`
 */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  onTimeout: (result: Result) => void = () => undefined,
): Promise<Result> {
  if (signal === undefined) return work
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted])
  } catch (error) {
    work.then(onTimeout, () => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
