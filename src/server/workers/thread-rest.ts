import type { View } from '../../node/view.ts'
import { warmWhileIdle } from '../../rpc/idle-warming.ts'
import type { ThreadLog } from './thread-log.ts'

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
  /** Says whether there was a result in the time of a short request. Throws where there was an error instead. */
  readonly answer: (view: View, text: string) => Promise<boolean>
  /** Gives what collects garbage, all of it; asked once, when it is needed. */
  readonly collect: () => () => void
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action after so many milliseconds. Gives a cancel function. */
  readonly later: (milliseconds: number, action: () => void) => () => void
  /** Share of the time since it was last asked that the thread worked, 0 to 1. */
  readonly activity: () => number
  readonly log: ThreadLog
}

/**
 * What a thread does when nobody asks it. At first it asks itself what comes in bursts, so that V8 has compiled that when the
 * next burst comes: the first seconds of one are a bad time for it. Then it gives memory back.
 */
export class ThreadRest {
  readonly #options: ThreadRestOptions
  readonly #parts: ThreadRestParts
  #isWarm = false
  /** What the rest ends with. */
  #ends: (() => void)[] = []
  #collect: (() => void) | undefined

  constructor(options: ThreadRestOptions, parts: ThreadRestParts) {
    this.#options = options
    this.#parts = parts
  }

  /** @param view that it may keep until the end; absent: there is none */
  begin(view: View | undefined): void {
    this.end()
    if (view === undefined || this.#isWarm) this.#collectLater()
    else this.#warm(view)
  }

  /** Somebody asks. Warming that was not done begins anew with the next rest. */
  end(): void {
    for (const end of this.#ends.splice(0)) end()
  }

  #warm(view: View): void {
    const { answer, now, later, activity, log } = this.#parts
    view.retain()
    let results = 0
    const stop = warmWhileIdle(
      { limit: WARMING_LIMIT, within: WARMING_WITHIN, requests: this.#options.requests },
      {
        rpc: {
          async answer(text) {
            if (await answer(view, text)) results += 1
          },
        },
        now,
        later,
        activity,
        // The flashblocks are made in another thread.
        untilSlot: () => Number.POSITIVE_INFINITY,
        onEnd: (end) => {
          if (end.kind === 'stopped') return
          if (end.kind === 'failed') log.error({ err: end.error }, 'a thread for long requests could not warm up')
          else log.debug({ end: end.kind, results }, 'a thread for long requests has warmed up')
          this.#isWarm = true
          this.#ends.splice(0)
          view.release()
          this.#collectLater()
        },
      },
    )
    // What it just asks still reads.
    this.#ends = [() => void stop().then(() => view.release())]
  }

  #collectLater(): void {
    const { later, collect } = this.#parts
    this.#ends = COLLECT_AFTER.map((time) =>
      later(time, () => {
        this.#collect ??= collect()
        this.#collect()
      }),
    )
  }
}
