import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { CORS_HEADERS } from '../../rest/http/representation.ts'
import type { RestResponse, RestService } from '../../rest/http/rest-service.ts'
import { type RpcStatus, rpcStatus, STATUS } from '../../rest/http/status.ts'
import { errorResponseText, NO_ID } from '../../rpc/dispatch/envelope.ts'
import { rateLimited } from '../../rpc/protocol/errors.ts'
import type { RequestText, RpcClient } from '../../rpc/protocol/rpc-client.ts'
import { isAllowedHost, isAllowedOrigin } from '../transport/host-guard.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import { requestedState } from '../transport/requested-state.ts'
import type { ResponseBudget } from '../transport/response-budget.ts'
import type { HttpStatus } from '../transport/statuses.ts'
import { ResponseCompressor, unpackedText } from './compression.ts'
import {
  type HttpPeer,
  type HttpRequest,
  type HttpResponse,
  type Page,
  REQUEST_ID,
  type UnsentResponses,
} from './exchange.ts'
import { HttpClient } from './http-client.ts'

/** JSON-RPC over HTTP. */
export interface HttpRpc {
  handle(text: RequestText, client: RpcClient): string | undefined | Promise<string | undefined>
}

export interface ServerLog {
  error(details: object, message: string): void
}

export interface HttpOptions {
  readonly limits: ServerLimits
  /** Allowed host names beside localhost and IP addresses. */
  readonly allowedHosts: readonly string[]
}

export interface HttpDeps {
  /** JSON-RPC at `/`; `undefined`: `/` is a path of REST. */
  readonly rpc: HttpRpc | undefined
  /** Serves all paths except those of `rpc` and the pages. */
  readonly rest: RestService
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
  readonly requestId: (given: string | undefined) => string
}

interface RpcDeps extends HttpDeps {
  readonly rpc: HttpRpc
  readonly compressor: ResponseCompressor
}

type Headers = Readonly<Record<string, string>>

/** The parts of a response that do not come from its page. */
interface PageParts {
  readonly headers: Headers
  readonly id: string
}

/** Decision about a request whose head was parsed. */
export type Opened =
  /** Answered without its body. */
  | { readonly kind: 'response'; readonly response: HttpResponse | Promise<HttpResponse> }
  /** The body is JSON-RPC. */
  | RpcExchange

/** Whether the response closes the connection, so that the body is not read. */
export function isRefusal(opened: Opened): opened is { readonly kind: 'response'; readonly response: HttpResponse } {
  return opened.kind === 'response' && !(opened.response instanceof Promise) && opened.response.isLast === true
}

const JSON_TYPE = { 'content-type': 'application/json' } as const
const NO_HEADERS: Headers = {}
const INVALID_HOST = 'invalid host specified: use localhost or an address, or allow the name with --allowed-hosts'
const TOO_MANY_UNREAD = 'the node has too many unread answers: try again, or ask for less at once'
const JSON_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest'])
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST, GET',
  'access-control-allow-headers': 'content-type, x-request-id',
  'access-control-max-age': '600',
}
/** Cost of a REST request, in the unit of `Method.cost`: about a call. */
const REST_COST = 20

/**
 * Answers HTTP requests. `POST /` is JSON-RPC, with the statuses and messages of go-ethereum. All
 * other paths are REST, with errors of the form `rpcStatus`, except for the operations pages.
 */
export class HttpService {
  readonly #options: HttpOptions
  readonly #deps: HttpDeps
  readonly #rpcParts: RpcDeps | undefined
  /** Last allowed host: clients send the same one with every request. */
  #allowedHost: string | undefined

  constructor(options: HttpOptions, deps: HttpDeps) {
    this.#options = options
    this.#deps = deps
    const { rpc } = deps
    this.#rpcParts = rpc && { ...deps, rpc, compressor: new ResponseCompressor() }
  }

  /** The response to a request that breaks HTTP/1.1 or a limit; it closes the connection. */
  refuse(status: HttpStatus, message: string, headers: Headers = NO_HEADERS): HttpResponse {
    this.#deps.monitor.rejected(status)
    return { ...failure(status, message, headers), isLast: true }
  }

  /** Decides about a request from its head. */
  open(request: HttpRequest, peer: HttpPeer): Opened {
    const { allowedOrigins, operations, pages } = peer.access
    const { monitor, requestId } = this.#deps
    const id = requestId(request.header(REQUEST_ID))
    const path = pathOf(request.target)
    const rpc = path === '/' ? this.#rpcParts : undefined
    const isRpc = rpc !== undefined
    if (!this.#isAllowedHost(request.header('host'))) {
      monitor.rejected(403)
      return isRpc
        ? answered({ ...failure(403, INVALID_HOST), id })
        : answered({ ...restFailure('permissionDenied', INVALID_HOST), id })
    }
    // Asks for the methods of the server as a whole (RFC 9110, section 9.3.7).
    if (path === '*') return answered({ status: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' }, id, body: '' })
    const operation = operations.get(path)
    const page = pages.get(path)
    if (!isRpc && operation === undefined && page === undefined) return answered(this.#rest(request, peer, id))
    if (page !== undefined) return answered(this.#limitedPage(page, request, peer, id))
    const origin = request.header('origin')
    const isAllowed = origin !== undefined && isAllowedOrigin(origin, allowedOrigins)
    const crossOrigin = isAllowed ? crossOriginHeaders(origin) : NO_HEADERS
    if (isAllowed && request.method === 'OPTIONS') {
      return answered({ status: 204, headers: { ...crossOrigin, ...PREFLIGHT_HEADERS }, id, body: '' })
    }
    if (operation !== undefined) return answered(this.#page(operation, request, { headers: crossOrigin, id }))
    const requested = requestedState(request.target)
    if (requested.kind === 'invalid') {
      monitor.rejected(400)
      return answered({ ...failure(400, requested.message, crossOrigin), id })
    }
    const { latestState } = requested
    const client = new HttpClient({ id, latestState }, { request, peer, budget: this.#deps.budget })
    return this.#openRpc(request, new RpcExchange({ request, headers: crossOrigin }, rpc!, client))
  }

  #isAllowedHost(header: string | undefined): boolean {
    if (header !== undefined && header === this.#allowedHost) return true
    const isAllowed = isAllowedHost(header, this.#options.allowedHosts)
    if (isAllowed) this.#allowedHost = header
    return isAllowed
  }

  /** REST sets its own CORS headers, for any origin. */
  #rest({ method, target, header }: HttpRequest, peer: HttpPeer, id: string): HttpResponse | Promise<HttpResponse> {
    const { rest, monitor } = this.#deps
    const wait = peer.charge(REST_COST)
    if (wait > 0) {
      monitor.rejected(429)
      const headers = { 'retry-after': seconds(wait) }
      return { ...restFailure('resourceExhausted', rateLimited(wait).message, headers), id }
    }
    const answer = rest.handle({ method, target, id, header })
    return answer instanceof Promise
      ? answer.then((late) => this.#finishRest(late, peer, id))
      : this.#finishRest(answer, peer, id)
  }

  #finishRest({ status, headers, isRepeated, body }: RestResponse, { unread }: HttpPeer, id: string): HttpResponse {
    const bytes = Buffer.byteLength(body)
    const release = this.#reserve(bytes, unread)
    if (release === undefined) {
      return { ...restFailure('unavailable', TOO_MANY_UNREAD, { 'retry-after': '1' }), id }
    }
    return { status, headers, isRepeated, id, body, bytes, release }
  }

  #openRpc(request: HttpRequest, exchange: RpcExchange): Opened {
    if (request.method === 'POST') {
      if (!isJson(request.header('content-type'))) {
        return exchange.reject(415, 'invalid content type, only application/json is supported')
      }
      if (exchange.coding !== 'identity' && exchange.coding !== 'gzip') {
        return exchange.reject(415, 'unknown content encoding, only gzip is supported', { 'accept-encoding': 'gzip' })
      }
      return exchange.exhausted() ?? exchange
    }
    if (request.method === 'GET' && !request.hasBody) return answered(exchange.empty())
    const isForeign = request.method === 'OPTIONS' && request.header('origin') !== undefined
    const reason = isForeign ? 'the origin of this page is not in --cors-origins' : 'JSON-RPC goes by POST'
    return exchange.reject(405, `method not allowed: ${reason}`, { allow: 'POST' })
  }

  /** @returns releases the bytes of a response; `undefined`: it has to be refused with 503 */
  #reserve(bytes: number, unread: UnsentResponses): (() => void) | undefined {
    const release = takeUnread(this.#deps.budget, unread, bytes)
    if (release === undefined) this.#deps.monitor.rejected(503)
    return release
  }

  /** Costs as much as a REST request. A client that does not read cannot fill the memory with copies of files. */
  async #limitedPage(page: Page, request: HttpRequest, peer: HttpPeer, id: string): Promise<HttpResponse> {
    const wait = peer.charge(REST_COST)
    if (wait > 0) {
      this.#deps.monitor.rejected(429)
      return { ...failure(429, rateLimited(wait).message, { 'retry-after': seconds(wait) }), id }
    }
    const response = await this.#page(page, request, { headers: NO_HEADERS, id })
    const bytes = Buffer.byteLength(response.body)
    const release = this.#reserve(bytes, peer.unread)
    if (release !== undefined) return { ...response, bytes, release }
    return { ...failure(503, TOO_MANY_UNREAD, { 'retry-after': '1' }), id }
  }

  async #page(page: Page, request: HttpRequest, more: PageParts): Promise<HttpResponse> {
    try {
      const answer = await page(request)
      return { ...answer, ...more, headers: { ...more.headers, ...answer.headers } }
    } catch (error) {
      this.#deps.log.error({ err: error, path: request.target }, 'a page could not be made')
      return { status: 500, ...more, body: '' }
    }
  }
}

interface ExchangeOptions {
  readonly request: HttpRequest
  /** Headers of every response. */
  readonly headers: Headers
}

/** A JSON-RPC request over HTTP. */
export class RpcExchange {
  readonly kind = 'rpc'
  /** Content-Encoding of the body. */
  readonly coding: string
  readonly #deps: RpcDeps
  readonly #client: HttpClient
  readonly #headers: Headers
  readonly #request: HttpRequest

  constructor({ request, headers }: ExchangeOptions, deps: RpcDeps, client: HttpClient) {
    this.coding = request.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
    this.#deps = deps
    this.#client = client
    this.#headers = headers
    this.#request = request
  }

  /** As `handle`, for a body with `Content-Encoding: gzip`. */
  async handlePacked(body: Uint8Array, maxBytes: number): Promise<HttpResponse | undefined> {
    const unpacked = await unpackedText(body, maxBytes)
    if (unpacked === 'tooLarge') return this.#refuse(413, `unpacked content too large, want at most ${maxBytes} bytes`)
    if (unpacked === 'malformed') return this.#refuse(400, 'the content is not gzip')
    return this.handle(unpacked.text)
  }

  /** Answers the body; `undefined`: the client has disconnected. Never throws. */
  handle(body: RequestText): MaybePromise<HttpResponse | undefined> {
    try {
      const text = this.#deps.rpc.handle(body, this.#client)
      if (typeof text === 'string' || text === undefined) return this.#finish(text)
      return text.then(
        (late) => this.#finishLate(late),
        (error: unknown) => this.#failed(error),
      )
    } catch (error) {
      return this.#failed(error)
    }
  }

  #finishLate(text: string | undefined): MaybePromise<HttpResponse | undefined> {
    try {
      return this.#finish(text)
    } catch (error) {
      return this.#failed(error)
    }
  }

  /** The response to a body that is not read completely. */
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

  #finish(text = ''): MaybePromise<HttpResponse | undefined> {
    const client = this.#client
    if (client.isGone()) return undefined
    const { budget, monitor } = this.#deps
    const bytes = Buffer.byteLength(text)
    const release = takeUnread(budget, client.unread, bytes)
    if (release === undefined) {
      return this.#refuse(503, TOO_MANY_UNREAD, { 'retry-after': '1' })
    }
    const { id, retryAfter, isServed } = client
    if (retryAfter === 0) {
      const isUsual = this.#headers === NO_HEADERS
      const headers = isUsual ? JSON_TYPE : this.#jsonHeaders()
      return this.#compressed({ status: 200, headers, isRepeated: isUsual, id, body: text, bytes, release })
    }
    // A batch that was served in part has results to read; otherwise it is answered as a single request is.
    const status = isServed ? 200 : 429
    if (!isServed) monitor.rejected(status)
    const headers = this.#jsonHeaders({ 'retry-after': seconds(retryAfter) })
    return this.#compressed({ status, headers, id, body: text, bytes, release })
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

/** @returns releases the bytes; `undefined`: there is no room */
function takeUnread(budget: ResponseBudget, unread: UnsentResponses, bytes: number): (() => void) | undefined {
  const release = budget.take(bytes, unread.bytes)
  if (release === undefined) return undefined
  unread.bytes += bytes
  return () => {
    unread.bytes -= bytes
    release()
  }
}

function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

function crossOriginHeaders(origin: string): Headers {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'retry-after, x-request-id',
    vary: 'origin',
  }
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  return JSON_TYPES.has(contentType) || JSON_TYPES.has(contentType.split(';', 1)[0]!.trim().toLowerCase())
}

function seconds(milliseconds: number): string {
  return String(Math.ceil(milliseconds / 1000))
}

function answered(response: HttpResponse | Promise<HttpResponse>): Opened {
  return { kind: 'response', response }
}

function failure(status: HttpStatus, message: string, headers: Headers = NO_HEADERS): HttpResponse {
  return { status, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify({ error: message }) }
}

function restFailure(name: keyof typeof STATUS, message: string, headers: Headers = NO_HEADERS): HttpResponse {
  const body: RpcStatus = rpcStatus(name, message)
  return {
    status: STATUS[name].http,
    headers: { ...headers, ...JSON_TYPE, ...CORS_HEADERS },
    body: JSON.stringify(body),
  }
}
