import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
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
  /** Has all paths under `/v1/`. */
  readonly rest: (request: IncomingMessage, response: ServerResponse) => void
  readonly log: ServerLog
}

const JSON_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest'])
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST, GET',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '600',
}

/** `POST /` is JSON-RPC, `/v1/…` goes to the REST part; statuses and texts as go-ethereum's (spec-facts 8.2). */
export function createHttpHandler(options: HttpOptions, parts: HttpParts): RequestListener {
  return (request, response) => {
    if (!isAllowedHost(request.headers.host, options.allowedHosts)) {
      return fail(response, 403, 'invalid host specified: use localhost or an address, or allow the name')
    }
    const { origin } = request.headers
    if (origin !== undefined && isAllowedOrigin(origin, options.allowedOrigins)) {
      response.setHeader('access-control-allow-origin', origin)
      response.setHeader('vary', 'origin')
      if (request.method === 'OPTIONS') return end(response.writeHead(204, PREFLIGHT_HEADERS))
    }
    const path = (request.url ?? '/').split('?', 1)[0]!
    if (path.startsWith('/v1/')) return parts.rest(request, response)
    if (path !== '/') return fail(response, 404, 'not found')
    answerRpc(request, response, options, parts).catch((error: unknown) => {
      parts.log.error({ err: error }, 'an HTTP request failed unexpectedly')
      if (!response.headersSent) fail(response, 500, 'internal error')
    })
  }
}

async function answerRpc(
  request: IncomingMessage,
  response: ServerResponse,
  { limits }: HttpOptions,
  { rpc }: HttpParts,
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
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(answer)
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
