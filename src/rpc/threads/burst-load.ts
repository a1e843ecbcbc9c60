import { RpcError } from '../errors.ts'
import { EncodedJson } from '../memoized/encoded-json.ts'
import type { BurstRequest, BurstResponse } from '../scheduling/offload.ts'
import type { FromThread, PostedResponse, ToThread } from './messages.ts'

/** Milliseconds of queued work per thread, so that a long request does not wait for it. */
const BACKLOG = 4
/** Most requests per thread: more would not be done sooner. */
const MOST = 64
/** Fewest requests: two batches, so that the thread works while the results of one are in transit. */
const FEWEST = 6
/** Assumed milliseconds per request on a new thread, which has to compile first. */
const FIRST_PACE = 1
/** Weight of the newest batch in the average. */
const WEIGHT = 1 / 4

interface Batch {
  readonly id: number
  readonly size: number
  readonly resolve: (responses: readonly BurstResponse[]) => void
  readonly reject: (error: RpcError) => void
}

/** Tracks the short requests queued at one thread: as many as it runs in a few milliseconds. */
export class BurstLoad {
  readonly #post: (message: ToThread) => void
  /**
   * Oldest first. An array, not a `Map`: V8 reallocates the table of a map every few entries, and once a discarded
   * table is in the old generation, it keeps the later ones and their results alive until a full collection.
   */
  readonly #batches: Batch[] = []
  #nextId = 0
  /** `start` and `advance` messages that the thread has not processed. */
  #behind = 0
  #unanswered = 0
  /** Recent average of milliseconds per request. */
  #pace = FIRST_PACE

  constructor({ post }: { readonly post: (message: ToThread) => void }) {
    this.#post = post
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0
  }

  /** How many further requests the thread would run soon; 0 while it has to follow the chain first. */
  room(): number {
    if (this.#behind > 0) return 0
    const inTime = Math.floor(BACKLOG / this.#pace)
    return Math.max(0, Math.min(MOST, Math.max(FEWEST, inTime)) - this.#unanswered)
  }

  run(requests: readonly BurstRequest[]): Promise<readonly BurstResponse[]> {
    const id = this.#nextId++
    this.#unanswered += requests.length
    this.#post({ kind: 'burst', id, requests })
    return new Promise((resolve, reject) => this.#batches.push({ id, size: requests.length, resolve, reject }))
  }

  /** Counts a message to follow the chain. */
  follows(): void {
    this.#behind++
  }

  hasFollowed(): void {
    this.#behind--
  }

  receive({ id, responses, ms }: Extract<FromThread, { kind: 'burst' }>): void {
    const index = this.#batches.findIndex((one) => one.id === id)
    if (index === -1) return
    const [batch] = this.#batches.splice(index, 1) as [Batch]
    this.#unanswered -= batch.size
    this.#pace += (ms / Math.max(1, responses.length) - this.#pace) * WEIGHT
    batch.resolve(responses.map(readResponse))
  }

  /**
   * The thread has ended.
   *
   * @param error for its requests; absent: they run on the main thread
   */
  end(error?: RpcError): void {
    for (const { resolve, reject } of this.#batches.splice(0)) {
      if (error === undefined) resolve([])
      else reject(error)
    }
  }
}

function readResponse(posted: PostedResponse): BurstResponse {
  switch (posted?.kind) {
    case 'result':
      return new EncodedJson(posted.text)
    case 'error':
      return new RpcError(posted.code, posted.message, posted.data)
    default:
      return posted?.kind
  }
}
