import { decoded, type RequestText } from '../../rpc/protocol/rpc-client.ts'
import type { HttpStatus } from '../transport/statuses.ts'
import { codingOf, unpackedText } from './compression.ts'
import type { BodyExchange, HttpRequest, HttpResponse } from './exchange.ts'

export interface SectionExchangeDeps {
  /** Never throws. */
  readonly answer: (body: string) => Promise<HttpResponse>
  readonly refuse: (status: HttpStatus, message: string) => HttpResponse
}

/** A request with a body to a section. */
export class SectionExchange implements BodyExchange {
  readonly kind = 'body'
  readonly coding: string
  readonly #deps: SectionExchangeDeps

  constructor(request: HttpRequest, deps: SectionExchangeDeps) {
    this.coding = codingOf(request)
    this.#deps = deps
  }

  handle(body: RequestText): Promise<HttpResponse> {
    return this.#deps.answer(decoded(body))
  }

  async handlePacked(body: Uint8Array, maxBytes: number): Promise<HttpResponse> {
    const unpacked = await unpackedText(body, maxBytes)
    if (unpacked === 'tooLarge')
      return this.#deps.refuse(413, `unpacked content too large, want at most ${maxBytes} bytes`)
    if (unpacked === 'malformed') return this.#deps.refuse(400, 'the content is not gzip')
    return this.#deps.answer(unpacked.text)
  }

  tooLarge(maxBytes: number): HttpResponse {
    return { ...this.#deps.refuse(413, `content length too large, want at most ${maxBytes} bytes`), isLast: true }
  }
}
