import type { RequestText } from '../../rpc/protocol/rpc-client.ts'
import { ChunkedBodyParser } from './chunked-body.ts'
import type { HttpResponse } from './exchange.ts'
import type { MalformedRequest } from './header-lines.ts'
import type { Opened } from './http-service.ts'
import { RequestBody } from './request-body.ts'
import type { RequestHead } from './request-head.ts'

const NOTHING = Buffer.alloc(0)

interface Options {
  readonly head: RequestHead
  readonly maxBytes: number
}

/**
 * A request whose body is incomplete. Its response is not sent before the end of the body, even if the head decides it:
 * the body may turn out to be malformed.
 */
export class IncomingBody {
  readonly head: RequestHead
  /** Position up to which the bytes of the last `read` were consumed; the caller presents the rest again. */
  position = 0
  readonly #opened: Opened
  readonly #body: RequestBody | undefined
  readonly #chunks: ChunkedBodyParser | undefined
  #missing: number
  #text: RequestText = ''

  constructor({ head, maxBytes }: Options, opened: Opened) {
    this.head = head
    this.#opened = opened
    this.#missing = head.length === 'chunked' ? 0 : head.length
    const sizes =
      head.length === 'chunked' ? { expectedBytes: 0, maxBytes } : { expectedBytes: head.length, maxBytes: head.length }
    this.#body = opened.kind === 'rpc' ? new RequestBody(sizes) : undefined
    if (head.length === 'chunked') {
      this.#chunks = new ChunkedBodyParser({ maxBytes }, { onData: (part) => this.#body?.add(part) })
    }
    // It is logged when the response is due.
    if (opened.kind === 'response' && opened.response instanceof Promise) opened.response.catch(() => undefined)
  }

  /** Bytes of the body that are in memory. */
  get bytes(): number {
    if (this.#body === undefined) return 0
    return this.head.length === 'chunked' ? this.#body.bytes : this.head.length - this.#missing
  }

  get isComplete(): boolean {
    return this.#chunks === undefined ? this.#missing === 0 : this.#chunks.isComplete
  }

  read(bytes: Buffer, from: number): MalformedRequest | undefined {
    if (this.#chunks === undefined) {
      this.#readLength(bytes, from)
      return undefined
    }
    const problem = this.#chunks.read(bytes, from)
    this.position = this.#chunks.position
    if (this.#chunks.isComplete) this.#text = this.#body?.text(NOTHING) ?? ''
    return problem
  }

  /** The response to the complete request. */
  handle(): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    return this.#opened.kind === 'rpc' ? this.#opened.handle(this.#text) : this.#opened.response
  }

  /** Discards the bytes of a request that has ended. */
  discard(): void {
    this.#body?.discard()
  }

  /** Discards the body and the response. */
  abandon(): void {
    this.discard()
    if (this.#opened.kind === 'rpc') return
    Promise.resolve(this.#opened.response).then(
      ({ release }) => release?.(),
      () => undefined,
    )
  }

  #readLength(bytes: Buffer, from: number): void {
    this.position = Math.min(bytes.length, from + this.#missing)
    this.#missing -= this.position - from
    const part = bytes.subarray(from, this.position)
    if (this.#missing > 0) this.#body?.add(part)
    else this.#text = this.#body?.text(part) ?? ''
  }
}
