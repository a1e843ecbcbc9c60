import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { errorResponseText, NO_ID } from '../../rpc/dispatch/envelope.ts'
import { rateLimited } from '../../rpc/protocol/errors.ts'
import type { RequestText, RpcClient } from '../../rpc/protocol/rpc-client.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import type { ResponseBudget } from '../transport/response-budget.ts'
import type { HttpStatus } from '../transport/statuses.ts'
import { codingOf, type ResponseCompressor, unpackedText } from './compression.ts'
import {
  answered,
  type BodyExchange,
  type HttpRequest,
  type HttpResponse,
  type Opened,
  type ServerLog,
} from './exchange.ts'
import { failure, type Headers, JSON_TYPE, NO_HEADERS, seconds, TOO_MANY_UNREAD, takeUnread } from './failures.ts'
import type { HttpClient } from './http-client.ts'

/** JSON-RPC over HTTP. */
export interface HttpRpc {
  /** @returns text, or bytes of UTF-8; `undefined`: no response */
  respond(text: RequestText, client: RpcClient): MaybePromise<string | Uint8Array | undefined>
}

export interface RpcExchangeDeps {
  readonly rpc: HttpRpc
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
  readonly compressor: ResponseCompressor
}

interface ExchangeOptions {
  readonly request: HttpRequest
  /** Headers of every response. */
  readonly headers: Headers
}

/** A JSON-RPC request over HTTP. */
export class RpcExchange implements BodyExchange {
  readonly kind = 'body'
  readonly coding: string
  readonly #deps: RpcExchangeDeps
  readonly #client: HttpClient
  readonly #headers: Headers
  readonly #request: HttpRequest

  constructor({ request, headers }: ExchangeOptions, deps: RpcExchangeDeps, client: HttpClient) {
    this.coding = codingOf(request)
    this.#deps = deps
    this.#client = client
    this.#headers = headers
    this.#request = request
  }

  async handlePacked(body: Uint8Array, maxBytes: number): Promise<HttpResponse | undefined> {
    const unpacked = await unpackedText(body, maxBytes)
    if (unpacked === 'tooLarge') return this.#refuse(413, `unpacked content too large, want at most ${maxBytes} bytes`)
    if (unpacked === 'malformed') return this.#refuse(400, 'the content is not gzip')
    return this.handle(unpacked.text)
  }

  handle(body: RequestText): MaybePromise<HttpResponse | undefined> {
    try {
      const response = this.#deps.rpc.respond(body, this.#client)
      if (!(response instanceof Promise)) return this.#finish(response)
      return response.then(
        (late) => this.#finishLate(late),
        (error: unknown) => this.#failed(error),
      )
    } catch (error) {
      return this.#failed(error)
    }
  }

  #finishLate(response: string | Uint8Array | undefined): MaybePromise<HttpResponse | undefined> {
    try {
      return this.#finish(response)
    } catch (error) {
      return this.#failed(error)
    }
  }

  tooLarge(maxBytes: number): HttpResponse {
    return { ...this.#refuse(413, `content length too large, want at most ${maxBytes} bytes`), isLast: true }
  }

  reject(status: HttpStatus, message: string, headers: Headers = NO_HEADERS): Opened {
    return answered(this.#refuse(status, message, headers))
  }

  /** The response to a GET without a body: 200 and no content, as in go-ethereum, for port probes. */
  empty(): HttpResponse {
    return { status: 200, headers: this.#headers, id: this.#client.id, body: '' }
  }

  /** Refuses a client over its rate limit without reading the body. */
  exhausted(): Opened | undefined {
    const wait = this.#client.charge(0)
    if (wait === 0) return undefined
    this.#deps.monitor.rejected(429)
    return answered({
      status: 429,
      headers: this.#jsonHeaders({ 'retry-after': seconds(wait) }),
      id: this.#client.id,
      body: errorResponseText(NO_ID, rateLimited(wait)),
      isLast: true,
    })
  }

  #finish(body: string | Uint8Array = ''): MaybePromise<HttpResponse | undefined> {
    const client = this.#client
    if (client.isGone()) return undefined
    const { budget, monitor } = this.#deps
    const bytes = Buffer.byteLength(body)
    const release = takeUnread(budget, client.unread, bytes)
    if (release === undefined) {
      return this.#refuse(503, TOO_MANY_UNREAD, { 'retry-after': '1' })
    }
    const { id, retryAfter, isServed } = client
    if (retryAfter === 0) {
      const isUsual = this.#headers === NO_HEADERS
      const headers = isUsual ? JSON_TYPE : this.#jsonHeaders()
      return this.#compressed({ status: 200, headers, isRepeated: isUsual, id, body, bytes, release })
    }
    // A batch that was served in part has results to read; otherwise it is answered as a single request is.
    const status = isServed ? 200 : 429
    if (!isServed) monitor.rejected(status)
    const headers = this.#jsonHeaders({ 'retry-after': seconds(retryAfter) })
    return this.#compressed({ status, headers, id, body, bytes, release })
  }

  #compressed(response: HttpResponse): MaybePromise<HttpResponse> {
    return this.#deps.compressor.compress(response, () => this.#request.header('accept-encoding'))
  }

  #failed(error: unknown): HttpResponse {
    this.#deps.log.error({ err: error, requestId: this.#client.id }, 'an HTTP request failed unexpectedly')
    return { ...failure(500, 'internal error', this.#headers), id: this.#client.id }
  }

  #refuse(status: HttpStatus, message: string, headers: Headers = NO_HEADERS): HttpResponse {
    this.#deps.monitor.rejected(status)
    return { ...failure(status, message, { ...this.#headers, ...headers }), id: this.#client.id }
  }

  #jsonHeaders(more: Headers = NO_HEADERS): Headers {
    return { ...this.#headers, ...more, ...JSON_TYPE }
  }
}
