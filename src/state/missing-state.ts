import type { MaybePromise } from '../primitives/maybe-promise.ts'

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

/**
 * Runs a synchronous read again each time that it found something missing and it was loaded.
 *
 * @example const account = await whenLoaded(() => state.account(address))
 */
export function whenLoaded<T>(read: () => T): MaybePromise<T> {
  try {
    return read()
  } catch (error) {
    if (error instanceof MissingStateError) return afterLoading(read, error)
    throw error
  }
}

async function afterLoading<T>(read: () => T, missing: MissingStateError): Promise<T> {
  await missing.load()
  return whenLoaded(read)
}
