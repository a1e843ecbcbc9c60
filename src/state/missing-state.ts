import type { MaybePromise } from '../primitives/maybe-promise.ts'

/** Loads of one read: more say that what is loaded is evicted at once. */
const MAX_ROUNDS = 10_000

/**
 * A reader does not have what is read yet: it fetches state on demand, as that of a forked chain does. After `load`,
 * the same read succeeds. Reads outside the engine go through `whenLoaded`; the engine waits by itself.
 */
export class MissingStateError extends Error {
  override readonly name = 'MissingStateError'
  readonly code = 'STATE_MISSING'
  /** Fetches what was read. Rejects when it cannot be obtained. */
  readonly load: () => Promise<void>

  /** @param subject what was read, for messages */
  constructor(subject: string, load: () => Promise<void>) {
    super(`${subject} is not loaded: read it through whenLoaded()`)
    this.load = load
  }
}

/** Runs a load, and resolves when it is complete. */
export type AwaitLoad = (load: () => Promise<void>) => Promise<void>

function atOnce(load: () => Promise<void>): Promise<void> {
  return load()
}

/**
 * Runs a read again each time that it found something missing and it was loaded. A read that is asynchronous must have
 * no effects before it fails.
 *
 * @param awaitLoad awaits a load
 * @example const account = await whenLoaded(() => state.account(address))
 */
export function whenLoaded<T>(read: () => MaybePromise<T>, awaitLoad: AwaitLoad = atOnce): MaybePromise<T> {
  let value: MaybePromise<T>
  try {
    value = read()
  } catch (error) {
    if (error instanceof MissingStateError) return afterLoading(read, error, awaitLoad)
    throw error
  }
  if (!(value instanceof Promise)) return value
  return value.catch((error: unknown) => {
    if (error instanceof MissingStateError) return afterLoading(read, error, awaitLoad)
    throw error
  })
}

/** The result of a synchronous read, or the error that says what it lacks. */
export function orMissing<T>(read: () => T): T | MissingStateError {
  try {
    return read()
  } catch (error) {
    if (error instanceof MissingStateError) return error
    throw error
  }
}

async function afterLoading<T>(
  read: () => MaybePromise<T>,
  first: MissingStateError,
  awaitLoad: AwaitLoad,
): Promise<T> {
  let missing = first
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await awaitLoad(missing.load)
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error
      missing = error
    }
  }
  throw missing
}
