import type { View } from '../../node/view.ts'
import { warmWhileIdle } from '../../rpc/idle-warming.ts'

/** Milliseconds that it asks itself, of how many it has to do so. */
const WARMING_LIMIT = 1_500
const WARMING_WITHIN = 30_000

/**
 * Milliseconds of rest after which garbage is collected, and once more: V8 would keep what the last requests left, and a
 * young generation as large as they needed, 30 MB in all. That one is given back by a collection before which little was
 * allocated since the one before.
 */
const COLLECT_AFTER = [6_000, 12_000]

interface ThreadRestOptions {
  /** Texts of what comes in bursts. */
  readonly requests: readonly string[]
}

interface ThreadRestParts {
  readonly answer: (view: View, text: string) => Promise<unknown>
  /** Collects garbage, all of it. */
  readonly collect: () => void
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action after so many milliseconds. Gives a cancel function. */
  readonly later: (milliseconds: number, action: () => void) => () => void
  /** Share of the time since it was last asked that the thread worked, 0 to 1. */
  readonly activity: () => number
}

/**
 * What a thread does when nobody asks it. The first time it asks itself what comes in bursts, so that V8 has compiled that
 * when the next burst comes: the first seconds of one are a bad time for it. Then it gives memory back.
 */
export class ThreadRest {
  readonly #options: ThreadRestOptions
  readonly #parts: ThreadRestParts
  #isWarm = false
  #cancels: (() => void)[] = []

  constructor(options: ThreadRestOptions, parts: ThreadRestParts) {
    this.#options = options
    this.#parts = parts
  }

  /** @param view that it may keep for a while; absent: there is none */
  begin(view: View | undefined): void {
    if (view === undefined || this.#isWarm) {
      this.#collectLater()
    } else {
      this.#isWarm = true
      this.#warm(view)
    }
  }

  /** Somebody asks: warming goes on where there is time, collecting does not. */
  end(): void {
    for (const cancel of this.#cancels) cancel()
    this.#cancels = []
  }

  #warm(view: View): void {
    const { answer, now, later, activity } = this.#parts
    view.retain()
    warmWhileIdle(
      { limit: WARMING_LIMIT, within: WARMING_WITHIN, requests: this.#options.requests },
      {
        rpc: { answer: (text) => answer(view, text) },
        now,
        later,
        activity,
        // The flashblocks are made in another thread.
        untilSlot: () => Number.POSITIVE_INFINITY,
        onEnd: () => {
          view.release()
          this.#collectLater()
        },
      },
    )
  }

  #collectLater(): void {
    this.end()
    const { later, collect } = this.#parts
    this.#cancels = COLLECT_AFTER.map((time) => later(time, collect))
  }
}
