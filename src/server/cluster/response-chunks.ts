import { randomUUID } from 'node:crypto'
import type { Clock } from '../../node/core/clock.ts'
import { RESPONSE_TIMEOUT_MS } from '../../node/core/deadline.ts'
import { RPC_CODES } from '../../rpc/protocol/errors.ts'
import { ANONYMOUS } from '../../rpc/protocol/rpc-client.ts'
import { CallSlots } from '../../rpc/scheduling/call-slots.ts'
import type { CallResponse, ChunkedResponse, ChunkRequest } from './messages.ts'

/** UTF-16 units per chunk. */
const PIECE_LENGTH = 128 * 1024
/** UTF-16 units of held responses above which further requests are refused. */
export const MAX_HELD_CHARACTERS = 128 * 2 ** 20
/** Concurrent requests, since the size of a response is known only afterwards. Senders bound the queued ones. */
const MAX_BEING_MADE = 8
const TOO_MUCH_HELD: CallResponse = {
  kind: 'error',
  code: RPC_CODES.limitExceeded,
  message: 'too many large answers about filters wait to be fetched: try again later',
  data: undefined,
}

interface HeldResponse {
  readonly text: string
  forget: () => void
}

/**
 * Holds large responses for other workers, which fetch them in chunks: they pass through the writer process, whose
 * thread the sequencer shares, and a large message would delay a flashblock.
 */
export class ResponseChunks {
  readonly #clock: Pick<Clock, 'monotonic' | 'at'>
  readonly #held = new Map<string, HeldResponse>()
  readonly #slots = new CallSlots({ limit: MAX_BEING_MADE, maxWaiting: Number.POSITIVE_INFINITY })
  #length = 0

  constructor({ clock }: { readonly clock: Pick<Clock, 'monotonic' | 'at'> }) {
    this.#clock = clock
  }

  /**
   * Runs a request and returns its response or a handle for chunks. While too much is held, requests are refused
   * without running, since a poll returns its changes only once.
   */
  async send(responseOf: () => Promise<CallResponse>): Promise<ChunkedResponse> {
    await this.#slots.enter(ANONYMOUS)
    try {
      return this.#length >= MAX_HELD_CHARACTERS ? TOO_MUCH_HELD : this.#hold(await responseOf())
    } finally {
      this.#slots.leave()
    }
  }

  #hold(response: CallResponse): ChunkedResponse {
    if (response.kind !== 'result' || response.text.length <= PIECE_LENGTH) return response
    const { text } = response
    const id = randomUUID()
    this.#held.set(id, { text, forget: () => undefined })
    this.#length += text.length
    this.#keep(id)
    return { kind: 'pieces', id, count: Math.ceil(text.length / PIECE_LENGTH) }
  }

  /** `undefined`: the response was fetched completely, or has expired. */
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
    held.forget = this.#clock.at(this.#clock.monotonic() + RESPONSE_TIMEOUT_MS, () => this.#forget(id))
  }

  #forget(id: string): void {
    const held = this.#held.get(id)!
    held.forget()
    this.#held.delete(id)
    this.#length -= held.text.length
  }
}

/** @param fetch returns a chunk; `undefined`: it is not available any more */
export async function joinChunks(
  sent: ChunkedResponse,
  fetch: (piece: ChunkRequest) => Promise<string | undefined>,
): Promise<CallResponse> {
  if (sent.kind !== 'pieces') return sent
  const pieces: string[] = []
  for (let index = 0; index < sent.count; index++) {
    const piece = await fetch({ id: sent.id, index })
    if (piece === undefined) return { kind: 'gone' }
    pieces.push(piece)
  }
  return { kind: 'result', text: pieces.join('') }
}
