import type { MethodResult } from '../memoized/encoded-json.ts'
import type { BurstAnswer, BurstRequest, BurstThreads } from './offload.ts'

/** Milliseconds of work in one round of the event loop, after which others have their turn and answers are taken. */
const SLICE = 1
/** Fewer are answered here sooner than they are told and their answers heard. */
const SMALLEST_BATCH = 3
/** Answers of a batch come together: the first one waits for the last. */
const LARGEST_BATCH = 16

/** A request that takes about as long as ten ways to another thread and back. */
export interface ShortRequest {
  /** As it goes to another thread. */
  readonly forThread: BurstRequest
  /** Answers it on this thread. */
  here(): MethodResult | Promise<MethodResult>
  /** Answers it where long requests are: it turned out to be one. */
  long(): Promise<MethodResult>
  /** @throws ClientGoneError nobody waits for its answer any more */
  checkClient(): void
}

interface Waiting {
  readonly request: ShortRequest
  readonly resolve: (answer: MethodResult | Promise<MethodResult>) => void
  readonly reject: (error: unknown) => void
}

interface Options {
  /** Requests that wait at most; more are answered as they come. */
  readonly maxWaiting: number
}

interface Deps {
  readonly threads: BurstThreads
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when what has come in by now was read: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/**
 * Short requests, of which many may come together. The first in a round of the event loop is answered at once, so that one
 * on its own never waits; those behind it wait until the round has brought what there is, and go to other threads in
 * batches, oldest first. What finds no room there is answered here, a slice in each round.
 */
export class BurstQueue {
  readonly #options: Options
  readonly #deps: Deps
  readonly #waiting: Waiting[] = []
  #isScheduled = false

  constructor(options: Options, deps: Deps) {
    this.#options = options
    this.#deps = deps
  }

  /** @throws what the request throws */
  answer(request: ShortRequest): MethodResult | Promise<MethodResult> {
    const isFirst = !this.#isScheduled
    this.#schedule()
    if (isFirst || this.#waiting.length >= this.#options.maxWaiting) return request.here()
    return new Promise((resolve, reject) => this.#waiting.push({ request, resolve, reject }))
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
    this.#handOver()
    if (this.#waiting.length === 0) return
    const { now } = this.#deps
    const end = now() + SLICE
    do settle(this.#waiting.shift()!, ({ here }) => here())
    while (this.#waiting.length > 0 && now() < end)
    if (this.#waiting.length > 0) this.#schedule()
  }

  #handOver(): void {
    const { threads } = this.#deps
    while (this.#waiting.length >= SMALLEST_BATCH) {
      const batch = this.#waiting.splice(0, Math.min(threads.room(), LARGEST_BATCH))
      if (batch.length === 0) return
      threads.ask(batch.map(({ request }) => request.forThread)).then(
        (answers) => this.#receive(batch, answers),
        (error: unknown) => {
          for (const { reject } of batch) reject(error)
        },
      )
    }
  }

  #receive(batch: readonly Waiting[], answers: readonly BurstAnswer[]): void {
    const unanswered: Waiting[] = []
    for (const [index, waiting] of batch.entries()) {
      const answer = answers[index]
      if (index >= answers.length) unanswered.push(waiting)
      // Its head is not there: it would not be found there the next time either.
      else if (answer === undefined) settle(waiting, ({ here }) => here())
      else if (answer === 'takesLong') settle(waiting, ({ long }) => long())
      else if (answer instanceof Error) waiting.reject(answer)
      else waiting.resolve(answer)
    }
    if (unanswered.length === 0) return
    this.#waiting.unshift(...unanswered)
    this.#schedule()
  }
}

function settle(
  { request, resolve, reject }: Waiting,
  answer: (request: ShortRequest) => MethodResult | Promise<MethodResult>,
): void {
  try {
    request.checkClient()
    resolve(answer(request))
  } catch (error) {
    reject(error)
  }
}
