/** A value or a promise of it. Hot paths return the value itself when there is nothing to await. */
export type MaybePromise<T> = T | Promise<T>

/** Applies a function to a value: at once, or when the promise resolves. */
export function mapMaybe<T, U>(value: MaybePromise<T>, map: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(map) : map(value)
}

/**
 * Runs work and converts its result or its error, whether it throws or rejects. Errors of `onResult` go to `onError`
 * too.
 *
 * @throws the error that `onError` throws
 */
export function settleMaybe<T, U>(
  work: () => MaybePromise<T>,
  onResult: (value: T) => U,
  onError: (error: unknown) => U,
): MaybePromise<U> {
  const finish = (value: T): U => {
    try {
      return onResult(value)
    } catch (error) {
      return onError(error)
    }
  }
  let value: MaybePromise<T>
  try {
    value = work()
  } catch (error) {
    return onError(error)
  }
  // One promise instead of the two of `then` and `catch`.
  return value instanceof Promise ? value.then(finish, onError) : finish(value)
}

/** Converts a rejection. */
export function recoverMaybe<T>(value: MaybePromise<T>, onError: (error: unknown) => T): MaybePromise<T> {
  return value instanceof Promise ? value.catch(onError) : value
}

/** Runs work and converts its error, whether it throws or rejects. */
export function catchMaybe<T>(work: () => MaybePromise<T>, onError: (error: unknown) => T): MaybePromise<T> {
  try {
    return recoverMaybe(work(), onError)
  } catch (error) {
    return onError(error)
  }
}

/** Runs work and then `cleanUp`, whether the work throws, rejects or returns. */
export function finallyMaybe<T>(work: () => MaybePromise<T>, cleanUp: () => void): MaybePromise<T> {
  let value: MaybePromise<T>
  try {
    value = work()
  } catch (error) {
    cleanUp()
    throw error
  }
  if (!(value instanceof Promise)) {
    cleanUp()
    return value
  }
  // One promise instead of the four of `Promise.prototype.finally`.
  return value.then(
    (result) => {
      cleanUp()
      return result
    },
    (error: unknown) => {
      cleanUp()
      throw error
    },
  )
}

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
 * Runs the steps to their end, synchronously if no step yields. With `await` in each of many short steps, concurrent
 * requests would interleave and each take as long as all of them together.
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
