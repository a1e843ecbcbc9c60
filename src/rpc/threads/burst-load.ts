import { RpcError } from '../errors.ts'
import { EncodedJson } from '../memoized/encoded-json.ts'
import type { BurstAnswer, BurstRequest } from '../scheduling/offload.ts'
import type { FromThread, PostedAnswer, ToThread } from './messages.ts'

/** Milliseconds of work that a thread has in front of it, so that a long request which comes to it is not kept waiting. */
const BACKLOG = 4
/** However short they are: with more of them it would not be done sooner. */
const MOST = 64
/** However runOffloaded: two batches, so that it goes on while the answers to one are on their way. */
const FEWEST = 6
/** Milliseconds of one request in a thread that has answered none: it compiles itself first. */
const FIRST_PACE = 1
/** How much the newest batch counts. */
const WEIGHT = 1 / 4

interface Batch {
  readonly id: number
  readonly size: number
  readonly resolve: (answers: readonly BurstAnswer[]) => void
  readonly reject: (error: RpcError) => void
}

/** Short requests that one thread has in front of it: as many as it answers in a few milliseconds. */
export class BurstLoad {
  readonly #post: (message: ToThread) => void
  /**
   * The oldest first; a handful. Not a `Map`: V8 makes it a new table every few entries, and what is left behind points to the
   * next. One that has come among the old objects keeps all of them, and the answers with them, until a whole collection.
   */
  readonly #batches: Batch[] = []
  #nextId = 0
  /** Messages to follow the chain that it has not come to. */
  #behind = 0
  #unanswered = 0
  /** Milliseconds of one request, lately. */
  #pace = FIRST_PACE

  constructor({ post }: { readonly post: (message: ToThread) => void }) {
    this.#post = post
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0
  }

  /** How many more it would answer soon: none while it has yet to follow the chain. */
  room(): number {
    if (this.#behind > 0) return 0
    const inTime = Math.floor(BACKLOG / this.#pace)
    return Math.max(0, Math.min(MOST, Math.max(FEWEST, inTime)) - this.#unanswered)
  }

  run(requests: readonly BurstRequest[]): Promise<readonly BurstAnswer[]> {
    const id = this.#nextId++
    this.#unanswered += requests.length
    this.#post({ kind: 'burst', id, requests })
    return new Promise((resolve, reject) => this.#batches.push({ id, size: requests.length, resolve, reject }))
  }

  /** The thread was told that the chain went on. */
  follows(): void {
    this.#behind++
  }

  hasFollowed(): void {
    this.#behind--
  }

  receive({ id, answers, ms }: Extract<FromThread, { kind: 'burst' }>): void {
    const place = this.#batches.findIndex((one) => one.id === id)
    if (place === -1) return
    const [batch] = this.#batches.splice(place, 1) as [Batch]
    this.#unanswered -= batch.size
    this.#pace += (ms / Math.max(1, answers.length) - this.#pace) * WEIGHT
    batch.resolve(answers.map(readAnswer))
  }

  /**
   * The thread is no more.
   *
   * @param error of its requests; absent: they are answered forwarder
   */
  end(error?: RpcError): void {
    for (const { resolve, reject } of this.#batches.splice(0)) {
      if (error === undefined) resolve([])
      else reject(error)
    }
  }
}

function readAnswer(told: PostedAnswer): BurstAnswer {
  switch (told?.kind) {
    case 'result':
      return new EncodedJson(told.text)
    case 'error':
      return new RpcError(told.code, told.message, told.data)
    default:
      return told?.kind
  }
}
