/** Milliseconds of work per slice, plus the last request: a delay that flashblocks do not notice. */
const SLICE = 1
/** Milliseconds between two slices, and between checks while the thread is busy. */
const PAUSE = 4
const BUSY_PAUSE = 50
/** Highest share of time that the thread may have been busy with other work. */
const MAX_ACTIVITY = 0.3
/** Milliseconds before a slot in which no slice starts. */
const SLOT_MARGIN = 10

export interface IdleWarmingOptions {
  /** Milliseconds of work in total. */
  readonly limitMs: number
  /** Milliseconds after which warming ends in any case. */
  readonly withinMs: number
  readonly requests: readonly string[]
}

/** Why warming ended; `failed`: a request threw instead of answering an error. */
export type WarmingEnd =
  | { readonly kind: 'done' | 'outOfTime' | 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface IdleWarmingDeps {
  readonly rpc: { handle(text: string): unknown }
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action after a delay without keeping the process alive. Returns a cancel function. */
  readonly later: (milliseconds: number, action: () => void) => () => void
  /** Share of the time since the last call that the thread was busy, 0 to 1. */
  readonly activity: () => number
  /** Milliseconds until the next flashblock is due. */
  readonly untilSlotMs: () => number
  /** Called once, when warming ends. */
  readonly onEnd: (end: WarmingEnd) => void
}

/**
 * Continues the warm-up after the start: V8 optimises code that ran thousands of times further than code that ran a
 * hundred times, and the start must not wait for that. Runs in small slices while the thread is idle, so that requests
 * and flashblocks are not delayed.
 *
 * @returns stops warming; resolves when the running slice is done
 */
export function warmWhenIdle(
  { limitMs, withinMs, requests }: IdleWarmingOptions,
  { now, later, activity, untilSlotMs, onEnd, ...deps }: IdleWarmingDeps,
): () => Promise<void> {
  const lastTime = now() + withinMs
  let left = limitMs
  let requested = 0
  let slice = Promise.resolve()
  let cancel = () => {}
  // Released at the end: it holds caches.
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
    if (untilSlotMs() < SLOT_MARGIN) return wait(SLOT_MARGIN)
    slice = warm().catch((error: unknown) => stop({ kind: 'failed', error }))
  }
  const warm = async () => {
    const start = now()
    let time = start
    while (rpc !== undefined && time < start + SLICE) {
      await rpc.handle(requests[requested++ % requests.length]!)
      time = now()
    }
    left -= time - start
    // Excludes its own work from the activity.
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
