import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { MethodResult } from '../memoized/encoded-json.ts'
import type { BurstRequest, BurstResponse, BurstThreads } from './offload.ts'

/** Milliseconds of queued work per round of the event loop. */
const SLICE = 1
/** Smaller batches run here: posting them and receiving the results takes longer. */
const MIN_BATCH = 3
/** The results of a batch arrive together, so that its first request waits for its last. */
const MAX_BATCH = 16

/** A request that runs about ten times as long as a message to another thread and back takes. */
export interface ShortRequest {
  readonly forThread: BurstRequest
  /** Runs it on this thread. */
  runHere(): MaybePromise<MethodResult>
  /** Runs it as a long request: the thread found that it is one. */
  runOffloaded(): Promise<MethodResult>
  /** @throws ClientGoneError */
  checkClient(): void
}

interface QueuedRequest {
  readonly request: ShortRequest
  readonly resolve: (result: MaybePromise<MethodResult>) => void
  readonly reject: (error: unknown) => void
}

interface Options {
  /** Requests in the queue; further ones run at once. */
  readonly maxWaiting: number
}

interface Deps {
  readonly threads: BurstThreads
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when the event loop has read its input: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/**
 * Distributes bursts of short requests over worker threads. The first request of a round of the event loop runs at
 * once, so that one on its own never waits. Those behind it are queued until the round has read its input, and then go
 * to the threads in batches, oldest first. Requests for which no thread has room run on this thread, one slice per
 * round.
 */
export class BurstQueue {
  readonly #options: Options
  readonly #deps: Deps
  readonly #queue: QueuedRequest[] = []
  #isScheduled = false

  constructor(options: Options, deps: Deps) {
    this.#options = options
    this.#deps = deps
  }

  /** @throws the error of the request */
  handle(request: ShortRequest): MaybePromise<MethodResult> {
    const isFirst = !this.#isScheduled
    this.#schedule()
    if (isFirst || this.#queue.length >= this.#options.maxWaiting) return request.runHere()
    return new Promise((resolve, reject) => this.#queue.push({ request, resolve, reject }))
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.nextRound(() => {
      this.#isScheduled = false
      this.#endRound()
    })
  }

  #endRound(): void {
    this.#distribute()
    if (this.#queue.length === 0) return
    const { now } = this.#deps
    const end = now() + SLICE
    do handleNow(this.#queue.shift()!, ({ runHere }) => runHere())
    while (this.#queue.length > 0 && now() < end)
    if (this.#queue.length > 0) this.#schedule()
  }

  #distribute(): void {
    const { threads } = this.#deps
    while (this.#queue.length >= MIN_BATCH) {
      const batch = this.#queue.splice(0, Math.min(threads.room(), MAX_BATCH))
      if (batch.length === 0) return
      threads.run(batch.map(({ request }) => request.forThread)).then(
        (responses) => this.#receive(batch, responses),
        (error: unknown) => {
          for (const { reject } of batch) reject(error)
        },
      )
    }
  }

  #receive(batch: readonly QueuedRequest[], responses: readonly BurstResponse[]): void {
    const unanswered: QueuedRequest[] = []
    for (const [index, queued] of batch.entries()) {
      const response = responses[index]
      if (index >= responses.length) unanswered.push(queued)
      // The thread does not have its head, and will not have it later.
      else if (response === undefined) handleNow(queued, ({ runHere }) => runHere())
      else if (response === 'takesLong') handleNow(queued, ({ runOffloaded }) => runOffloaded())
      else if (response instanceof Error) queued.reject(response)
      else queued.resolve(response)
    }
    if (unanswered.length === 0) return
    this.#queue.unshift(...unanswered)
    this.#schedule()
  }
}

function handleNow(
  { request, resolve, reject }: QueuedRequest,
  run: (request: ShortRequest) => MaybePromise<MethodResult>,
): void {
  try {
    request.checkClient()
    resolve(run(request))
  } catch (error) {
    reject(error)
  }
}
