import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { rpcStatus, STATUS } from '../rest/status.ts'
import type { AnswerBudget } from './answer-budget.ts'
import { isAllowedHost, isAllowedOrigin } from './host-guard.ts'
import { readBody, type ServerLimits } from './limits.ts'

/** JSON-RPC as HTTP needs it. */
export interface HttpRpc {
  answer(text: string): Promise<string | undefined>
}

export interface ServerLog {
  error(details: object, message: string): void
}

export interface HttpOptions {
  readonly limits: ServerLimits
  /** Host names besides localhost and addresses. */
  readonly allowedHosts: readonly string[]
  /** Origins of pages that may ask; none by default. */
  readonly allowedOrigins: readonly string[]
}

export interface HttpParts {
  readonly rpc: HttpRpc
  /** Has all paths but `/`. */
  readonly rest: (request: IncomingMessage, response: ServerResponse) => void
  readonly log: ServerLog
}

const INVALID_HOST = 'invalid host specified: use localhost or an address, or allow the name'
const JSON_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest'])
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST, GET',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '600',
}

/**
 * `POST /` is JSON-RPC, with statuses and texts as go-ethereum's (spec-facts 8.2); every other path is the REST part's,
 * whose errors are all of one shape (contract: `rpcStatus`).
 */
export function createHttpHandler(options: HttpOptions, parts: HttpParts, budget: AnswerBudget): RequestListener {
  return (request, response) => {
    // The answer is complete: from here on the client has to take it. Node ends a connection on which nothing moves.
    response.once('prefinish', () => response.socket?.setTimeout(options.limits.writeTimeout))
    const path = (request.url ?? '/').split('?', 1)[0]!
    if (!isAllowedHost(request.headers.host, options.allowedHosts)) {
      return path === '/' ? fail(response, 403, INVALID_HOST) : refuseHost(response)
    }
    const { origin } = request.headers
    if (origin !== undefined && isAllowedOrigin(origin, options.allowedOrigins)) {
      response.setHeader('access-control-allow-origin', origin)
      response.setHeader('vary', 'origin')
      if (request.method === 'OPTIONS') return end(response.writeHead(204, PREFLIGHT_HEADERS))
    }
    if (path !== '/') return parts.rest(request, response)
    answerRpc(request, response, { ...options, ...parts, budget }).catch((error: unknown) => {
      parts.log.error({ err: error }, 'an HTTP request failed unexpectedly')
      if (!response.headersSent) fail(response, 500, 'internal error')
    })
  }
}

async function answerRpc(
  request: IncomingMessage,
  response: ServerResponse,
  { limits, rpc, budget }: HttpOptions & HttpParts & { readonly budget: AnswerBudget },
): Promise<void> {
  if (request.method === 'GET' && !hasBody(request)) return end(response.writeHead(200))
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST')
    return fail(response, 405, 'method not allowed: JSON-RPC goes by POST')
  }
  if (!JSON_TYPES.has(mediaType(request))) {
    return fail(response, 415, 'invalid content type, only application/json is supported')
  }
  const body = await readBody(request, limits.maxBodyBytes)
  if (body.kind === 'aborted') return
  if (body.kind === 'tooLarge') {
    // What is left of the body is not read: the connection ends with the answer.
    response.setHeader('connection', 'close')
    return fail(response, 413, `content length too large, want at most ${limits.maxBodyBytes} bytes`)
  }
  const answer = await rpc.answer(body.text)
  const bytes = Buffer.from(answer ?? '')
  const giveBack = budget.take(bytes.length, 0)
  if (giveBack === undefined) {
    response.setHeader('retry-after', '1')
    return fail(response, 503, 'the node has too many unread answers: try again, or ask for less at once')
  }
  response.once('close', giveBack)
  if (response.destroyed) return giveBack()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function mediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

function end(response: ServerResponse): void {
  response.end()
}

function fail(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: message }))
}

function refuseHost(response: ServerResponse): void {
  response.writeHead(STATUS.permissionDenied.http, { 'content-type': 'application/json' })
  response.end(JSON.stringify(rpcStatus('permissionDenied', INVALID_HOST)))
}
