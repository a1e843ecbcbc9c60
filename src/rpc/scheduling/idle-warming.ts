/**
 * Milliseconds of work at once, the last request aside: no longer than what a flashblock may be late by unnoticed. Requests
 * that are answered in several rounds of the event loop keep nobody waiting.
 */
const SLICE = 1
/** Milliseconds between two slices, and until it looks again where somebody else works. */
const PAUSE = 4
const BUSY_PAUSE = 50
/** Share of the time since the last look that others worked for, at most. */
const MAX_ACTIVITY = 0.3
/** Milliseconds before a slot in which nothing begins. */
const SLOT_MARGIN = 10

export interface IdleWarmingOptions {
  /** Milliseconds of work in all. */
  readonly limit: number
  /** Milliseconds after which it ends in any case. */
  readonly within: number
  readonly requests: readonly string[]
}

/** Why nothing is asked any more; `failed`: a request could not even be answered with an error. */
export type WarmingEnd =
  | { readonly kind: 'done' | 'outOfTime' | 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface IdleWarmingDeps {
  readonly rpc: { answer(text: string): unknown }
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action after so many milliseconds, without keeping the process alive. Gives a cancel function. */
  readonly later: (milliseconds: number, action: () => void) => () => void
  /** Share of the time since it was last asked that the thread worked, 0 to 1. */
  readonly activity: () => number
  /** Milliseconds until the next flashblock is due. */
  readonly untilSlot: () => number
  /** Called once, when nothing comes any more. */
  readonly onEnd: (end: WarmingEnd) => void
}

/**
 * Goes on where the warm-up of the start ended: V8 compiles what is asked thousands of times better than what is asked a
 * hundred times, and a start must not wait for that. It asks in small slices and only where nobody else works, so that
 * requests and flashblocks do not notice.
 *
 * @returns ends it, once what is under way is answered
 */
export function warmWhenIdle(
  { limit, within, requests }: IdleWarmingOptions,
  { now, later, activity, untilSlot, onEnd, ...deps }: IdleWarmingDeps,
): () => Promise<void> {
  const lastTime = now() + within
  let left = limit
  let asked = 0
  let slice = Promise.resolve()
  let cancel = () => {}
  // Let go of at the end: it keeps answers.
  let rpc: IdleWarmingDeps['rpc'] | undefined = deps.rpc

  const stop = (end: WarmingEnd) => {
    if (rpc === undefined) return
    rpc = undefined
    cancel()
    onEnd(end)
  }
  const wait = (milliseconds: number) => {
    if (rpc === undefined) return
    if (left <= 0) stop({ kind: 'done' })
    else if (now() >= lastTime) stop({ kind: 'outOfTime' })
    else cancel = later(milliseconds, look)
  }
  const look = () => {
    if (activity() > MAX_ACTIVITY) return wait(BUSY_PAUSE)
    if (untilSlot() < SLOT_MARGIN) return wait(SLOT_MARGIN)
    slice = warm().catch((error: unknown) => stop({ kind: 'failed', error }))
  }
  const warm = async () => {
    const start = now()
    let time = start
    while (rpc !== undefined && time < start + SLICE) {
      await rpc.answer(requests[asked++ % requests.length]!)
      time = now()
    }
    left -= time - start
    // What it did itself does not count as activity.
    activity()
    wait(PAUSE)
  }

  activity()
  wait(PAUSE)
  return () => {
    stop({ kind: 'stopped' })
    return slice
  }
}
