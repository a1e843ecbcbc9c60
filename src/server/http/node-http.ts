import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GatheredWrites } from '../coalesced-writes.ts'
import { readBody, type ServerLimits } from '../limits.ts'
import type { Charge } from '../rate-limiter.ts'
import { type HttpAnswer, type HttpPeer, type HttpRequest, REQUEST_ID, type UnreadAnswers } from './exchange.ts'
import type { HttpService, Opened, ServerLog } from './http-service.ts'

/** Scheme and authority before a path; then path and query. */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i

interface Parts {
  readonly service: HttpService
  readonly writes: GatheredWrites
  readonly chargeOf: (address: string | undefined) => Charge
  readonly log: ServerLog
}

/** Requests that Node's own parser has read. */
export function nodeHttpListener({ limits }: { readonly limits: ServerLimits }, parts: Parts): RequestListener {
  const unreadOf = unreadBySocket()
  return (incoming, response) => {
    // The answer is complete: from here on the client has to take it. Node ends a connection on which nothing moves.
    response.once('prefinish', () => response.socket?.setTimeout(limits.writeTimeout))
    toOriginForm(incoming)
    parts.writes.writeOverdue()
    const opened = parts.service.open(requestOf(incoming), peerOf(incoming, response, { ...parts, unreadOf }))
    answerTo(opened, incoming, limits.maxBodyBytes)
      .then((answer) => answer && write(response, answer))
      .catch((error: unknown) => {
        parts.log.error({ err: error }, 'an HTTP answer could not be written')
        response.destroy()
      })
  }
}

/**
 * A client that takes us for a proxy names the whole address, which counts instead of `Host` and has to be understood
 * (RFC 9112, 3.2.2).
 */
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
  { chargeOf, unreadOf }: Pick<Parts, 'chargeOf'> & { readonly unreadOf: (socket: Socket) => UnreadAnswers },
): HttpPeer {
  const address = socket.remoteAddress
  const [charge, unread] = [chargeOf(address), unreadOf(socket)]
  return { address: address ?? '', charge, unread, isGone: () => response.destroyed }
}

function unreadBySocket(): (socket: Socket) => UnreadAnswers {
  const known = new WeakMap<Socket, UnreadAnswers>()
  return (socket) => {
    let unread = known.get(socket)
    if (unread === undefined) {
      unread = { bytes: 0 }
      known.set(socket, unread)
    }
    return unread
  }
}

async function answerTo(opened: Opened, incoming: IncomingMessage, maxBytes: number): Promise<HttpAnswer | undefined> {
  if (opened.kind === 'answer') return opened.answer
  const body = await readBody(incoming, maxBytes)
  switch (body.kind) {
    case 'aborted':
      return undefined
    case 'tooLarge':
      return opened.tooLarge(maxBytes)
    case 'body':
      return opened.answer(body.text)
  }
}

function write(response: ServerResponse, { status, headers, id, body, isLast, giveBack }: HttpAnswer): void {
  if (response.destroyed) {
    giveBack?.()
    return
  }
  if (giveBack !== undefined) response.once('close', giveBack)
  // Node sends a body in one piece with its head, and its length, only as bytes.
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const length = status === 204 || status === 304 ? undefined : { 'content-length': bytes.length }
  const name = id === undefined ? undefined : { [REQUEST_ID]: id }
  response.writeHead(status, { ...headers, ...name, ...length, ...(isLast && { connection: 'close' }) })
  response.end(bytes)
}
