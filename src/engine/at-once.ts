import type { AtOnce } from './types.ts'

/** Work that waits only where there is something to wait for: it yields the promises. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/**
 * The value, which the work waits for if it has to.
 *
 * @example const result = yield* settled(session.call(call, checks))
 */
export function* settled<T>(value: AtOnce<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value
}

/**
 * Does work to its end, at once if nothing has to be waited for. Work of many short steps that are awaited would be
 * interleaved with that of others, and each take as long as all together.
 */
export function atOnce<T>(steps: Steps<T>): AtOnce<T> {
  try {
    const first = steps.next()
    return first.done ? first.value : goOn(steps, first.value)
  } catch (error) {
    return Promise.reject(error)
  }
}

async function goOn<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let waitsFor = first
  for (;;) {
    const step = await waitsFor.then(
      (value) => steps.next(value),
      (error: unknown) => steps.throw(error),
    )
    if (step.done) return step.value
    waitsFor = step.value
  }
}
