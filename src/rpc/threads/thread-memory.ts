/**
 * Milliseconds of idleness after which garbage is collected, and once more. V8 would otherwise keep the garbage of the
 * last requests and a young generation of the size that they needed, 30 MB in total. The young generation shrinks with
 * a collection that follows little allocation.
 */
const COLLECT_AFTER = [6_000, 12_000]

/** Milliseconds of long requests that leave enough garbage; a few short ones before V8 has compiled them take less. */
const MUCH_WORK_MS = 1_000

interface ThreadMemoryDeps {
  /** Creates the garbage collector; called once, at first use. */
  readonly collect: () => () => void
  /** Runs an action after a delay. Returns a cancel function. */
  readonly later: (milliseconds: number, action: () => void) => () => void
}

/**
 * Frees the memory of long requests while a thread is idle. That of short ones, at most a full young generation, is
 * kept: with a full collection V8 also discards code that it compiled for their objects, and the next burst would start
 * with compiling.
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
    if (this.#worked < MUCH_WORK_MS) return
    const { later, collect } = this.#deps
    this.#cancels = COLLECT_AFTER.map((time, index) =>
      later(time, () => {
        this.#collect ??= collect()
        this.#collect()
        if (index === COLLECT_AFTER.length - 1) this.#worked = 0
      }),
    )
  }

  /** Ends the idle time. */
  end(): void {
    for (const cancel of this.#cancels.splice(0)) cancel()
  }

  /** @param milliseconds that a long request took */
  hasWorked(milliseconds: number): void {
    this.#worked += milliseconds
  }
}
