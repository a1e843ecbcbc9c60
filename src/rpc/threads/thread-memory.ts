/**
 * Milliseconds of rest after which garbage is collected, and once more: V8 would keep what the last requests left, and a
 * young generation as large as they needed, 30 MB in all. That one is given back by a collection before which little was
 * allocated since the one before.
 */
const COLLECT_AFTER = [6_000, 12_000]

/** Milliseconds of long requests that leave something worth it: a few short ones that V8 has yet to compile take less. */
const MUCH_WORK = 1_000

interface ThreadMemoryDeps {
  /** Gives what collects garbage, all of it; asked once, when it is needed. */
  readonly collect: () => () => void
  /** Runs an action after so many milliseconds. Gives a cancel function. */
  readonly later: (milliseconds: number, action: () => void) => () => void
}

/**
 * What a thread does when nobody asks it: it gives back the memory that long requests needed. That of short ones stays, at most
 * a full young generation: with a collection V8 also throws away what it has compiled for objects that only a request has, and
 * the next burst would begin with compiling.
 */
export class ThreadMemory {
  readonly #deps: ThreadMemoryDeps
  /** Milliseconds of long requests since the last collection. */
  #worked = 0
  #cancels: (() => void)[] = []
  #collect: (() => void) | undefined

  constructor(deps: ThreadMemoryDeps) {
    this.#deps = deps
  }

  begin(): void {
    this.end()
    if (this.#worked < MUCH_WORK) return
    const { later, collect } = this.#deps
    this.#cancels = COLLECT_AFTER.map((time, index) =>
      later(time, () => {
        this.#collect ??= collect()
        this.#collect()
        if (index === COLLECT_AFTER.length - 1) this.#worked = 0
      }),
    )
  }

  /** Somebody asks. */
  end(): void {
    for (const cancel of this.#cancels.splice(0)) cancel()
  }

  /** @param milliseconds that a request which was not among the short ones took */
  hasWorked(milliseconds: number): void {
    this.#worked += milliseconds
  }
}
