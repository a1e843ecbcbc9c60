/** A value that is there already, or a promise of it. Hot paths answer without a promise where nothing has to be awaited. */
export type MaybePromise<T> = T | Promise<T>

/** An asynchronous function as a generator: it yields only the promises that it has to await. */
export type AsyncSteps<T> = Generator<Promise<unknown>, T, unknown>

/**
 * The value of a `MaybePromise`, inside `AsyncSteps`.
 *
 * @example const result = yield* awaited(session.call(call, checks))
 */
export function* awaited<T>(value: MaybePromise<T>): AsyncSteps<T> {
  return value instanceof Promise ? ((yield value) as T) : value
}

/**
 * Runs the steps to their end, synchronously if no step yields. With `await` in each of many short steps, concurrent requests
 * would interleave and each take as long as all of them together.
 */
export function runSteps<T>(steps: AsyncSteps<T>): MaybePromise<T> {
  try {
    const first = steps.next()
    return first.done ? first.value : goOn(steps, first.value)
  } catch (error) {
    return Promise.reject(error)
  }
}

async function goOn<T>(steps: AsyncSteps<T>, first: Promise<unknown>): Promise<T> {
  let pending = first
  for (;;) {
    const step = await pending.then(
      (value) => steps.next(value),
      (error: unknown) => steps.throw(error),
    )
    if (step.done) return step.value
    pending = step.value
  }
}
