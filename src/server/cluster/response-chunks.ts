import { randomUUID } from 'node:crypto'
import type { Clock } from '../../node/core/clock.ts'
import { ANSWER_LIMIT } from '../../node/core/in-time.ts'
import { RPC_CODES } from '../../rpc/errors.ts'
import { CallSlots } from '../../rpc/scheduling/call-slots.ts'
import type { CallAnswer, ChunkedAnswer, ChunkRequest } from './messages.ts'

/** UTF-16 units of a message. */
const PIECE_LENGTH = 128 * 1024
/** UTF-16 units of all answers that wait to be fetched, before nothing more is answered. */
const MAX_HELD = 128 * 2 ** 20
/** Answers that are made at once: how large they are is known only then. Those that wait are bounded where they come from. */
const MAX_BEING_MADE = 8
const TOO_MUCH_HELD: CallAnswer = {
  kind: 'error',
  code: RPC_CODES.limitExceeded,
  message: 'too many large answers about filters wait to be fetched: try again later',
  data: undefined,
}

interface HeldAnswer {
  readonly text: string
  forget: () => void
}

/**
 * Answers to other workers. They come by way of the process that writes, whose thread the sequencer shares: what is large is
 * fetched in pieces, so that none of them keeps a flashblock waiting.
 */
export class ResponseChunks {
  readonly #clock: Pick<Clock, 'monotonic' | 'at'>
  readonly #held = new Map<string, HeldAnswer>()
  readonly #slots = new CallSlots({ limit: MAX_BEING_MADE, maxWaiting: Number.POSITIVE_INFINITY })
  #length = 0

  constructor({ clock }: { readonly clock: Pick<Clock, 'monotonic' | 'at'> }) {
    this.#clock = clock
  }

  /** What is sent in place of the answer; where too much is held it is not asked for, since it may come only once. */
  async send(answerOf: () => Promise<CallAnswer>): Promise<ChunkedAnswer> {
    await this.#slots.enter()
    try {
      return this.#length >= MAX_HELD ? TOO_MUCH_HELD : this.#hold(await answerOf())
    } finally {
      this.#slots.leave()
    }
  }

  #hold(answer: CallAnswer): ChunkedAnswer {
    if (answer.kind !== 'result' || answer.text.length <= PIECE_LENGTH) return answer
    const { text } = answer
    const id = randomUUID()
    this.#held.set(id, { text, forget: () => undefined })
    this.#length += text.length
    this.#keep(id)
    return { kind: 'pieces', id, count: Math.ceil(text.length / PIECE_LENGTH) }
  }

  /** `undefined`: it was fetched whole, or not for a while. */
  piece({ id, index }: ChunkRequest): string | undefined {
    const held = this.#held.get(id)
    if (held === undefined) return undefined
    const end = (index + 1) * PIECE_LENGTH
    if (end >= held.text.length) this.#forget(id)
    else this.#keep(id)
    return held.text.slice(index * PIECE_LENGTH, end)
  }

  #keep(id: string): void {
    const held = this.#held.get(id)!
    held.forget()
    held.forget = this.#clock.at(this.#clock.monotonic() + ANSWER_LIMIT, () => this.#forget(id))
  }

  #forget(id: string): void {
    const held = this.#held.get(id)!
    held.forget()
    this.#held.delete(id)
    this.#length -= held.text.length
  }
}

/** @param fetch gives a piece; `undefined`: whoever had it is gone */
export async function joinChunks(
  sent: ChunkedAnswer,
  fetch: (piece: ChunkRequest) => Promise<string | undefined>,
): Promise<CallAnswer> {
  if (sent.kind !== 'pieces') return sent
  const pieces: string[] = []
  for (let index = 0; index < sent.count; index++) {
    const piece = await fetch({ id: sent.id, index })
    if (piece === undefined) return { kind: 'gone' }
    pieces.push(piece)
  }
  return { kind: 'result', text: pieces.join('') }
}
