import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { rpcStatus, STATUS } from '../rest/status.ts'
import { errorText, NO_ID } from '../rpc/envelope.ts'
import { rateLimited } from '../rpc/errors.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import type { AnswerBudget } from './answer-budget.ts'
import { isAllowedHost, isAllowedOrigin } from './host-guard.ts'
import { HttpClient } from './http-client.ts'
import { readBody, type ServerLimits } from './limits.ts'
import type { ServerMonitor } from './monitor.ts'
import type { Charge } from './rate-limiter.ts'
import type { HttpStatus } from './statuses.ts'

/** JSON-RPC as HTTP needs it. */
export interface HttpRpc {
  answer(text: string, client: RpcClient): Promise<string | undefined>
}

export interface ServerLog {
  error(details: object, message: string): void
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

export interface HttpOptions {
  readonly limits: ServerLimits
  /** Host names besides localhost and addresses. */
  readonly allowedHosts: readonly string[]
  /** Origins of pages that may ask; none by default. */
  readonly allowedOrigins: readonly string[]
  /** Origins of pages that may open a WebSocket. */
  readonly socketOrigins: readonly string[]
}

export interface HttpParts {
  readonly rpc: HttpRpc
  /** Has all paths but `/` and those of `operations`. */
  readonly rest: RequestHandler
  /** Pages for whoever runs the node, by path. */
  readonly operations: ReadonlyMap<string, RequestHandler>
  readonly log: ServerLog
  readonly monitor: ServerMonitor
}

interface Shared {
  readonly budget: AnswerBudget
  /** What an address' requests are taken from. */
  readonly chargeOf: (address: string | undefined) => Charge
  readonly requestId: (given: string | string[] | undefined) => string
}

const REQUEST_ID = 'x-request-id'
const INVALID_HOST = 'invalid host specified: use localhost or an address, or allow the name with --allowed-hosts'
const JSON_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest'])
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST, GET',
  'access-control-allow-headers': 'content-type, x-request-id',
  'access-control-max-age': '600',
}
/** Cost of a request to any other path, in the unit of `Method.cost`: about a call. */
const REST_COST = 20

/**
 * `POST /` is JSON-RPC, with statuses and texts as go-ethereum's (spec-facts 8.2); every other path is the REST part's,
 * whose errors are all of one shape (contract: `rpcStatus`), but for the few of the operations.
 */
export function createHttpHandler(options: HttpOptions, parts: HttpParts, shared: Shared): RequestListener {
  const { monitor, operations } = parts
  return (request, response) => {
    // The answer is complete: from here on the client has to take it. Node ends a connection on which nothing moves.
    response.once('prefinish', () => response.socket?.setTimeout(options.limits.writeTimeout))
    const id = shared.requestId(request.headers['x-request-id'])
    const path = (request.url ?? '/').split('?', 1)[0]!
    // Answers of JSON-RPC have it among their other headers: setting one apart makes Node write all of them slowly.
    if (path !== '/') response.setHeader(REQUEST_ID, id)
    if (!isAllowedHost(request.headers.host, options.allowedHosts)) {
      monitor.rejected(403)
      response.setHeader(REQUEST_ID, id)
      return path === '/' ? fail(response, 403, INVALID_HOST) : failRest(response, 'permissionDenied', INVALID_HOST)
    }
    const { origin } = request.headers
    if (origin !== undefined && isAllowedOrigin(origin, options.allowedOrigins)) {
      response.setHeader('access-control-allow-origin', origin)
      response.setHeader('access-control-expose-headers', 'retry-after, x-request-id')
      response.setHeader('vary', 'origin')
      if (request.method === 'OPTIONS') return end(response.writeHead(204, { ...PREFLIGHT_HEADERS, [REQUEST_ID]: id }))
    }
    const charge = shared.chargeOf(request.socket.remoteAddress)
    const client = new HttpClient(id, { response, charge })
    if (path !== '/') {
      const operation = operations.get(path)
      if (operation !== undefined) return operation(request, response)
      const wait = charge(REST_COST)
      if (wait === 0) return parts.rest(request, response)
      monitor.rejected(429)
      return failRest(retryAfter(response, wait), 'resourceExhausted', rateLimited(wait).message)
    }
    answerRpc(request, response, { ...options, ...parts, client, budget: shared.budget }).catch((error: unknown) => {
      parts.log.error({ err: error, requestId: id }, 'an HTTP request failed unexpectedly')
      if (!response.headersSent) fail(response.setHeader(REQUEST_ID, id), 500, 'internal error')
    })
  }
}

async function answerRpc(
  request: IncomingMessage,
  response: ServerResponse,
  parts: HttpOptions & HttpParts & { readonly client: HttpClient; readonly budget: AnswerBudget },
): Promise<void> {
  const { limits, rpc, budget, client, monitor } = parts
  const reject = (status: HttpStatus, message: string) => {
    monitor.rejected(status)
    response.setHeader(REQUEST_ID, client.id)
    fail(response, status, message)
  }
  if (request.method === 'GET' && !hasBody(request)) return end(response.writeHead(200, { [REQUEST_ID]: client.id }))
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST')
    const isPage = request.method === 'OPTIONS' && request.headers.origin !== undefined
    const reason = isPage ? 'the origin of this page is not in --cors-origins' : 'JSON-RPC goes by POST'
    return reject(405, `method not allowed: ${reason}`)
  }
  if (!JSON_TYPES.has(mediaType(request)))
    return reject(415, 'invalid content type, only application/json is supported')
  // Whoever has nothing left is not even read.
  const wait = client.charge(0)
  if (wait > 0) {
    monitor.rejected(429)
    retryAfter(response, wait).setHeader('connection', 'close')
    response.writeHead(429, { 'content-type': 'application/json', [REQUEST_ID]: client.id })
    response.end(errorText(NO_ID, rateLimited(wait)))
    return
  }
  const body = await readBody(request, limits.maxBodyBytes)
  if (body.kind === 'aborted') return
  if (body.kind === 'tooLarge') {
    // What is left of the body is not read: the connection ends with the answer.
    response.setHeader('connection', 'close')
    return reject(413, `content length too large, want at most ${limits.maxBodyBytes} bytes`)
  }
  const answer = await rpc.answer(body.text, client)
  if (client.isGone()) return
  const bytes = Buffer.from(answer ?? '')
  const giveBack = budget.take(bytes.length, 0)
  if (giveBack === undefined) {
    response.setHeader('retry-after', '1')
    return reject(503, 'the node has too many unread answers: try again, or ask for less at once')
  }
  response.once('close', giveBack)
  if (client.refusedFor > 0) {
    monitor.rejected(429)
    retryAfter(response, client.refusedFor).statusCode = 429
  }
  response.writeHead(response.statusCode, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    [REQUEST_ID]: client.id,
  })
  response.end(bytes)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function mediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

function retryAfter(response: ServerResponse, milliseconds: number): ServerResponse {
  return response.setHeader('retry-after', String(Math.ceil(milliseconds / 1000)))
}

function end(response: ServerResponse): void {
  response.end()
}

function fail(response: ServerResponse, status: HttpStatus, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: message }))
}

function failRest(response: ServerResponse, name: keyof typeof STATUS, message: string): void {
  response.writeHead(STATUS[name].http, { 'content-type': 'application/json' })
  response.end(JSON.stringify(rpcStatus(name, message)))
}
