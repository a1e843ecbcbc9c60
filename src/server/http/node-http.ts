import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { CoalescedWrites } from '../coalesced-writes.ts'
import { readRequestBody, type ServerLimits } from '../limits.ts'
import type { ChargeCost } from '../rate-limiter.ts'
import { type HttpPeer, type HttpRequest, type HttpResponse, REQUEST_ID, type UnsentResponses } from './exchange.ts'
import type { HttpService, Opened, ServerLog } from './http-service.ts'

/** Scheme and authority, then path and query. */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i

interface Deps {
  readonly service: HttpService
  readonly writes: CoalescedWrites
  readonly chargeOf: (address: string | undefined) => ChargeCost
  readonly log: ServerLog
}

/** Handles requests that Node's parser has read. */
export function nodeHttpListener({ limits }: { readonly limits: ServerLimits }, deps: Deps): RequestListener {
  const unreadOf = unreadBySocket()
  return (incoming, response) => {
    // The response is complete: from now on the client has to read. Node closes a connection without progress.
    response.once('prefinish', () => response.socket?.setTimeout(limits.writeTimeout))
    toOriginForm(incoming)
    deps.writes.writeOverdue()
    const opened = deps.service.open(requestOf(incoming), peerOf(incoming, response, { ...deps, unreadOf }))
    answerTo(opened, incoming, limits.maxBodyBytes)
      .then((answer) => answer && write(response, answer))
      .catch((error: unknown) => {
        deps.log.error({ err: error }, 'an HTTP answer could not be written')
        response.destroy()
      })
  }
}

/** Converts an absolute-form target, whose authority replaces `Host` (RFC 9112, section 3.2.2). */
export function toOriginForm(incoming: IncomingMessage): void {
  const [, authority, target = ''] = ABSOLUTE.exec(incoming.url ?? '') ?? []
  if (authority === undefined) return
  incoming.url = target.startsWith('/') ? target : `/${target}`
  incoming.headers.host = authority
}

function requestOf({ method = 'GET', url = '/', headers }: IncomingMessage): HttpRequest {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const header = (name: string) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  return { method, target: url, hasBody, header }
}

function peerOf(
  { socket }: IncomingMessage,
  response: ServerResponse,
  { chargeOf, unreadOf }: Pick<Deps, 'chargeOf'> & { readonly unreadOf: (socket: Socket) => UnsentResponses },
): HttpPeer {
  const address = socket.remoteAddress
  const [charge, unread] = [chargeOf(address), unreadOf(socket)]
  return { address: address ?? '', charge, unread, isGone: () => response.destroyed }
}

function unreadBySocket(): (socket: Socket) => UnsentResponses {
  const known = new WeakMap<Socket, UnsentResponses>()
  return (socket) => {
    let unread = known.get(socket)
    if (unread === undefined) {
      unread = { bytes: 0 }
      known.set(socket, unread)
    }
    return unread
  }
}

async function answerTo(
  opened: Opened,
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<HttpResponse | undefined> {
  if (opened.kind === 'answer') return opened.handle
  const body = await readRequestBody(incoming, maxBytes)
  switch (body.kind) {
    case 'aborted':
      return undefined
    case 'tooLarge':
      return opened.tooLarge(maxBytes)
    case 'body':
      return opened.handle(body.text)
  }
}

function write(response: ServerResponse, { status, headers, id, body, isLast, release }: HttpResponse): void {
  if (response.destroyed) {
    release?.()
    return
  }
  if (release !== undefined) response.once('close', release)
  // Node sends head and body in one write, and a length, only for bytes.
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const length = status === 204 || status === 304 ? undefined : { 'content-length': bytes.length }
  const name = id === undefined ? undefined : { [REQUEST_ID]: id }
  response.writeHead(status, { ...headers, ...name, ...length, ...(isLast && { connection: 'close' }) })
  response.end(bytes)
}
