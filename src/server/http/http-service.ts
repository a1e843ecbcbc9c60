import type { Socket } from 'node:net'
import { CORS_HEADERS } from '../../rest/http/representation.ts'
import { type BodyStream, REFERENCE_PATH, type RestResponse, type RestService } from '../../rest/http/rest-service.ts'
import { StatusError } from '../../rest/http/status.ts'
import { rateLimited } from '../../rpc/protocol/errors.ts'
import type { BodyStreams } from '../transport/body-streams.ts'
import { ForeignOrigins } from '../transport/foreign-origins.ts'
import { isAllowedHost, isAllowedOrigin, isSameOrigin } from '../transport/host-guard.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import { requestedState } from '../transport/requested-state.ts'
import type { ResponseBudget } from '../transport/response-budget.ts'
import type { HttpStatus } from '../transport/statuses.ts'
import { STUDIO_PATH } from '../transport/studio-path.ts'
import { ResponseCompressor } from './compression.ts'
import {
  type Access,
  answered,
  type HttpPeer,
  type HttpRequest,
  type HttpResponse,
  type Opened,
  type Page,
  REQUEST_ID,
  type Section,
  type ServerLog,
  type UnsentResponses,
} from './exchange.ts'
import { failure, type Headers, NO_HEADERS, restFailure, seconds, TOO_MANY_UNREAD, takeUnread } from './failures.ts'
import { HttpClient } from './http-client.ts'
import type { RequestHead } from './request-head.ts'
import { type HttpRpc, RpcExchange, type RpcExchangeDeps } from './rpc-exchange.ts'
import { SectionExchange } from './section-exchange.ts'

/** Hands connections over to WebSockets. */
export interface Upgrades {
  /**
   * Decides about a request for a WebSocket.
   *
   * @returns the response that refuses it, or what takes the connection and the bytes behind the request
   */
  open(request: RequestHead, peer: HttpPeer): HttpResponse | ((socket: Socket, following: Buffer) => void)
}

export interface HttpOptions {
  readonly limits: ServerLimits
  /** Allowed host names beside localhost and IP addresses. */
  readonly allowedHosts: readonly string[]
}

export interface HttpDeps {
  /** JSON-RPC at `/`; `undefined`: `/` is a path of REST. */
  readonly rpc: HttpRpc | undefined
  /** Serves all paths except those of `rpc`, the pages and the section. */
  readonly rest: RestService
  readonly section?: Section | undefined
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
  readonly streams: Pick<BodyStreams, 'admit' | 'reachedLimit'>
  readonly requestId: (given: string | undefined) => string
}

/** The parts of a response that do not come from its page. */
interface PageParts {
  readonly headers: Headers
  readonly id: string
}

const INVALID_HOST = 'invalid host specified: use localhost or an address, or allow the name with --allowed-hosts'
const TOO_MANY_STREAMS = {
  all: new StatusError(
    'unavailable',
    'the service has as many subscribers of events as --max-event-subscribers allows',
  ),
  address: new StatusError(
    'resourceExhausted',
    'this address has as many subscribers of events as --max-event-subscribers-per-address allows: close one',
  ),
}
const JSON_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest'])
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST, GET',
  'access-control-allow-headers': 'content-type, x-request-id',
  'access-control-max-age': '600',
}
/** Pages that browsers are sent to from addresses that are for programs. */
const LANDING_PAGES: ReadonlyMap<string, string> = new Map([
  ['/', STUDIO_PATH],
  ['/v1', REFERENCE_PATH],
  ['/v1/', REFERENCE_PATH],
])
/** Cost of a REST request, in the unit of `Method.cost`: about a call. */
const REST_COST = 20

/**
 * Answers HTTP requests. `POST /` is JSON-RPC, with the statuses and messages of go-ethereum. Operations pages, pages,
 * redirects to pages and the section have paths of their own. All other paths are REST, with errors of the form
 * `rpcStatus`.
 */
export class HttpService {
  readonly #options: HttpOptions
  readonly #deps: HttpDeps
  readonly #rpcParts: RpcExchangeDeps | undefined
  /** Last allowed host: clients send the same one with every request. */
  #allowedHost: string | undefined
  readonly #foreignOrigins: ForeignOrigins

  constructor(options: HttpOptions, deps: HttpDeps) {
    this.#options = options
    this.#deps = deps
    const { rpc, log } = deps
    this.#foreignOrigins = new ForeignOrigins({ warn: log.warn?.bind(log) })
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
    const landing = landingPage(path, request, peer.access)
    if (landing !== undefined) {
      const headers = { location: landing, vary: 'accept', ...(landing === REFERENCE_PATH && CORS_HEADERS) }
      return answered({ status: 302, headers, id, body: '' })
    }
    const operation = operations.get(path)
    const page = pages.get(path)
    if (!isRpc && operation === undefined && page === undefined) {
      const { section } = this.#deps
      const isWithin = section !== undefined && (path === section.path || path.startsWith(`${section.path}/`))
      return isWithin ? this.#openSection(section, request, peer, id) : answered(this.#rest(request, peer, id))
    }
    if (page !== undefined) return answered(this.#limitedPage(page, request, peer, { headers: NO_HEADERS, id }))
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

  #openSection(section: Section, request: HttpRequest, peer: HttpPeer, id: string): Opened {
    const origin = request.header('origin')
    const isAllowed = origin !== undefined && isAllowedOrigin(origin, peer.access.allowedOrigins)
    const headers = isAllowed ? crossOriginHeaders(origin) : NO_HEADERS
    if (isAllowed && request.method === 'OPTIONS') {
      return answered({ status: 204, headers: { ...headers, ...PREFLIGHT_HEADERS }, id, body: '' })
    }
    const refuse = (status: HttpStatus, message: string) => {
      this.#deps.monitor.rejected(status)
      return { ...failure(status, message, headers), id }
    }
    const isForeign = origin !== undefined && !isAllowed && !isSameOrigin(origin, request.header('host'))
    // Browsers send the forms of any page without asking first.
    if (isForeign && request.method === 'POST') return answered(refuse(403, this.#foreignOrigins.refuse(origin)))
    const client = new HttpClient({ id, latestState: undefined }, { request, peer, budget: this.#deps.budget })
    const answer = (body: string) =>
      this.#limitedPage(() => section.handle(request, body, client), request, peer, { headers, id })
    if (!request.hasBody) return answered(answer(''))
    const exchange = new SectionExchange(request, { answer, refuse })
    if (exchange.coding === 'identity' || exchange.coding === 'gzip') return exchange
    return answered(refuse(415, 'unknown content encoding, only gzip is supported'))
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
    const checkStreams = () => {
      const reached = this.#reachedLimit(peer)
      if (reached !== undefined) throw TOO_MANY_STREAMS[reached]
    }
    const answer = rest.handle({ method, target, id, header, checkStreams })
    return answer instanceof Promise
      ? answer.then((late) => this.#finishRest(late, peer, id))
      : this.#finishRest(answer, peer, id)
  }

  #finishRest(response: RestResponse, peer: HttpPeer, id: string): HttpResponse {
    const { unread } = peer
    const { status, headers, isRepeated, body, stream } = response
    if (stream !== undefined) return this.#streamed({ status, headers, id, body }, stream, peer)
    const bytes = Buffer.byteLength(body)
    const release = this.#reserve(bytes, unread)
    if (release === undefined) {
      return { ...restFailure('unavailable', TOO_MANY_UNREAD, { 'retry-after': '1' }), id }
    }
    return { status, headers, isRepeated, id, body, bytes, release }
  }

  /** The limits are checked again: others may have been admitted since the request came. */
  #streamed(response: HttpResponse, stream: BodyStream, peer: HttpPeer): HttpResponse {
    const reached = this.#reachedLimit(peer)
    if (reached === undefined) return { ...response, stream: this.#deps.streams.admit(stream, peer.address) }
    stream.close()
    const { code, message } = TOO_MANY_STREAMS[reached]
    return { ...restFailure(code, message, { 'retry-after': '1' }), id: response.id }
  }

  #reachedLimit({ address }: HttpPeer): ReturnType<BodyStreams['reachedLimit']> {
    const reached = this.#deps.streams.reachedLimit(address)
    if (reached !== undefined) this.#deps.monitor.rejected(reached === 'all' ? 503 : 429)
    return reached
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
    const origin = request.method === 'OPTIONS' ? request.header('origin') : undefined
    const reason = origin === undefined ? 'JSON-RPC goes by POST' : this.#foreignOrigins.refuse(origin)
    return exchange.reject(405, `method not allowed: ${reason}`, { allow: 'POST' })
  }

  /** @returns releases the bytes of a response; `undefined`: it has to be refused with 503 */
  #reserve(bytes: number, unread: UnsentResponses): (() => void) | undefined {
    const release = takeUnread(this.#deps.budget, unread, bytes)
    if (release === undefined) this.#deps.monitor.rejected(503)
    return release
  }

  /** Costs as much as a REST request. A client that does not read cannot fill the memory with copies of files. */
  async #limitedPage(page: Page, request: HttpRequest, peer: HttpPeer, more: PageParts): Promise<HttpResponse> {
    const wait = peer.charge(REST_COST)
    if (wait > 0) {
      this.#deps.monitor.rejected(429)
      const headers = { ...more.headers, 'retry-after': seconds(wait) }
      return { ...failure(429, rateLimited(wait).message, headers), id: more.id }
    }
    const response = await this.#page(page, request, more)
    const bytes = Buffer.byteLength(response.body)
    const release = this.#reserve(bytes, peer.unread)
    if (release !== undefined) return { ...response, bytes, release }
    return { ...failure(503, TOO_MANY_UNREAD, { ...more.headers, 'retry-after': '1' }), id: more.id }
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

/** @returns the page that a browser is redirected to from this path; `undefined`: there is no redirect */
function landingPage(path: string, { method, header }: HttpRequest, { pages }: Access): string | undefined {
  const landing = LANDING_PAGES.get(path)
  if (landing === undefined || method !== 'GET' || !header('accept')?.includes('text/html')) return undefined
  return landing === STUDIO_PATH && !pages.has(STUDIO_PATH) ? undefined : landing
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
