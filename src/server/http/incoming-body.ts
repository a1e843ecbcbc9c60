import type { RequestText } from '../../rpc/protocol/rpc-client.ts'
import { ChunkedBodyParser } from './chunked-body.ts'
import { unpackedBytesAtMost } from './compression.ts'
import type { HttpResponse, Opened } from './exchange.ts'
import type { MalformedRequest } from './header-lines.ts'
import { RequestBody } from './request-body.ts'
import type { RequestHead } from './request-head.ts'
import { discardResponse } from './response-queue.ts'

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
  readonly #maxBytes: number
  #text: RequestText = ''
  /** The body if it is compressed. */
  #packed: Buffer = NOTHING

  constructor({ head, maxBytes }: Options, opened: Opened) {
    this.head = head
    this.#maxBytes = maxBytes
    this.#opened = opened
    this.#missing = head.length === 'chunked' ? 0 : head.length
    const sizes =
      head.length === 'chunked' ? { expectedBytes: 0, maxBytes } : { expectedBytes: head.length, maxBytes: head.length }
    this.#body = opened.kind === 'body' ? new RequestBody(sizes) : undefined
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

  /** Bytes that the complete body takes in memory until the response. */
  get bytesUntilResponse(): number {
    return this.#isPacked ? unpackedBytesAtMost(this.bytes, this.#maxBytes) : this.bytes
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
    if (this.#chunks.isComplete) this.#complete(NOTHING)
    return problem
  }

  /** The response to the complete request. */
  handle(): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    if (this.#opened.kind !== 'body') return this.#opened.response
    if (this.#isPacked) return this.#opened.handlePacked(this.#packed, this.#maxBytes)
    return this.#opened.handle(this.#text)
  }

  /** Discards the bytes of a request that has ended. */
  discard(): void {
    this.#body?.discard()
  }

  /** Discards the body and the response. */
  abandon(): void {
    this.discard()
    if (this.#opened.kind === 'body') return
    Promise.resolve(this.#opened.response).then(discardResponse, () => undefined)
  }

  #readLength(bytes: Buffer, from: number): void {
    this.position = Math.min(bytes.length, from + this.#missing)
    this.#missing -= this.position - from
    const part = bytes.subarray(from, this.position)
    if (this.#missing > 0) this.#body?.add(part)
    else this.#complete(part)
  }

  #complete(last: Buffer): void {
    if (this.#isPacked) this.#packed = this.#body?.whole(last) ?? NOTHING
    else this.#text = this.#body?.text(last) ?? ''
  }

  get #isPacked(): boolean {
    return this.#opened.kind === 'body' && this.#opened.coding === 'gzip'
  }
}
