import type { Socket } from 'node:net'
import type { BodyStreams } from '../transport/body-streams.ts'
import type { CoalescedWrites } from '../transport/coalesced-writes.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ChargeCost } from '../transport/rate-limiter.ts'
import type { RequestBudget, RequestCharge } from '../transport/request-budget.ts'
import type { ClientResolver } from './client-resolver.ts'
import {
  type Access,
  type HttpPeer,
  type HttpResponse,
  isRefusal,
  KEEP_ALIVE_TIMEOUT_MS,
  type Opened,
  type ServerLog,
} from './exchange.ts'
import { TOO_MANY_INCOMPLETE, UNNAMED_CLIENT } from './failures.ts'
import type { HttpService, Upgrades } from './http-service.ts'
import { IncomingBody } from './incoming-body.ts'
import { type RequestHead, RequestHeadParser } from './request-head.ts'
import { ResponseQueue } from './response-queue.ts'

/** Requests in flight per connection; beyond it the connection is not read. */
export const MAX_UNDER_WAY = 16
/**
 * Milliseconds that a client may take to close its side after the last response. A connection that is closed with
 * unread bytes is reset, and the client may lose the response (RFC 9112, section 9.6).
 */
const LINGER_LIMIT_MS = 2_000
const NOTHING = Buffer.alloc(0)

export interface HttpConnectionDeps {
  readonly socket: Socket
  readonly writes: CoalescedWrites
  readonly service: HttpService
  readonly upgrades: Upgrades
  readonly requests: RequestBudget
  readonly clients: ClientResolver
  readonly log: ServerLog
  readonly streams: Pick<BodyStreams, 'serve'>
  /** Called when the connection belongs to a WebSocket or to a stream. */
  readonly onUpgraded: () => void
}

/** Serves the requests of a connection in order, until it closes or belongs to a WebSocket or a stream. */
export class HttpConnection implements HttpPeer {
  readonly address: string
  readonly charge: ChargeCost
  readonly access: Access
  readonly connection = this
  readonly unread = { bytes: 0 }
  /** Kept, because a socket forgets it. */
  readonly #peerAddress: string | undefined
  readonly #limits: ServerLimits
  readonly #deps: HttpConnectionDeps
  readonly #answers: ResponseQueue
  readonly #heads = new RequestHeadParser()
  readonly #listeners: Readonly<Record<string, (chunk: Buffer) => void>>
  #incoming: IncomingBody | undefined
  /** The bytes of the incomplete body. */
  #received: RequestCharge | undefined
  /** Whether there is no room for more of the body. */
  #isWaiting = false
  /** Request for a WebSocket, which waits for the responses to earlier requests. */
  #upgrade: RequestHead | undefined
  /** Received bytes that are not parsed yet. */
  #unparsed: Buffer = NOTHING
  /** Whether the unparsed bytes are the beginning of a line. */
  #isLineIncomplete = false
  #isPaused = false
  /** No further requests are read. */
  #isEnding = false
  /** The client sends nothing more. */
  #isHalfClosed = false
  /** Responses are written, and the client has to close its side. */
  #isLingering = false
  #hasRead = false
  /** Since when the connection waits for its first request, for the rest of one, or for the next. */
  #since = performance.now()

  constructor(limits: ServerLimits, deps: HttpConnectionDeps) {
    this.#limits = limits
    this.#deps = deps
    const { socket, writes, clients, log } = deps
    this.#peerAddress = socket.remoteAddress
    const { address, charge, access } = clients.ofConnection(this.#peerAddress)
    this.address = address
    this.charge = charge
    this.access = access
    this.#answers = new ResponseQueue(limits, {
      socket,
      writes,
      log,
      onWritten: () => this.#onWritten(),
      onLast: (hasWritten) => this.#close(hasWritten),
      onStream: (stream) => this.#deps.streams.serve(this.#leaveSocket(), stream),
    })
    this.#listeners = {
      data: (chunk) => this.#receive(chunk),
      end: () => this.#onHalfClosed(),
      drain: () => this.#readOn(),
      // The client does not read its responses.
      timeout: () => this.destroy(),
      // `close` follows.
      error: () => undefined,
      close: () => this.#onClosed(),
    }
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener)
  }

  isGone(): boolean {
    return this.#deps.socket.destroyed
  }

  /** Closes after the responses to the requests that were read. */
  end(): void {
    this.#isEnding = true
    if (this.#incoming === undefined) this.#answers.endAfterAll()
  }

  destroy(): void {
    this.#deps.socket.destroy()
  }

  /**
   * Closes a connection whose client sends too slowly.
   *
   * @param now milliseconds on the monotonic clock
   */
  checkTimeouts(now: number): void {
    const { headersTimeoutMs, requestTimeoutMs, closeGraceMs } = this.#limits
    const waited = now - this.#since
    const isAnswering = this.#answers.size > 0 || this.#deps.socket.writableLength > 0
    if (this.#isLingering) {
      if (waited > LINGER_LIMIT_MS) this.destroy()
    } else if (this.#isPaused) {
      // The client waits for room.
      this.#since = now
    } else if (this.#incoming !== undefined) {
      if (waited > requestTimeoutMs)
        this.#refuse(this.#deps.service.refuse(408, 'the request was not complete in time'))
    } else if (this.#isHalfClosed && this.#answers.size > 0) {
      // It may have gone.
      if (waited > closeGraceMs) this.destroy()
    } else if (isAnswering) {
      // The client waits for a response, or is reading one.
      this.#since = now
    } else if (!this.#hasRead || this.#isInHead()) {
      if (waited > headersTimeoutMs)
        this.#refuse(this.#deps.service.refuse(408, 'the request was not complete in time'))
    } else if (waited > KEEP_ALIVE_TIMEOUT_MS) {
      this.destroy()
    }
  }

  #receive(chunk: Buffer): void {
    // The time for a head runs from its first byte.
    const isIdle = this.#hasRead && !this.#isEnding && this.#incoming === undefined && !this.#isInHead()
    if (isIdle && this.#answers.size === 0) this.#since = performance.now()
    this.#unparsed = this.#unparsed.length === 0 ? chunk : Buffer.concat([this.#unparsed, chunk])
    this.#isLineIncomplete = false
    this.#readOn()
  }

  /** Parses received bytes as far as possible. */
  #readOn(): void {
    try {
      while (this.#canParse()) {
        this.#answers.together(() => this.#read())
        // Frees room for requests that could not be started.
        if (this.#unparsed.length > 0 || this.#upgrade !== undefined) this.#answers.flush()
      }
      if (this.#upgrade !== undefined) this.#beginUpgrade(this.#upgrade)
      if (this.#isHalfClosed) this.#endHalfClosed()
    } catch (error) {
      this.#deps.log.error({ err: error }, 'an HTTP request failed unexpectedly')
      this.destroy()
    }
  }

  /** Pauses the socket while there is no room for more requests. */
  #canParse(): boolean {
    if (this.isGone() || this.#upgrade !== undefined) return false
    if (this.#isEnding && this.#incoming === undefined) {
      this.#unparsed = NOTHING
      return false
    }
    const isBusy = this.#isWaiting || this.#isBusy()
    this.#setPaused(isBusy)
    return !isBusy && this.#unparsed.length > 0 && !this.#isLineIncomplete
  }

  #read(): void {
    const bytes = this.#unparsed
    let at = 0
    while (at < bytes.length && !this.#isLineIncomplete && this.#upgrade === undefined) {
      if (this.#incoming !== undefined) at = this.#readBody(this.#incoming, bytes, at)
      else if (this.#isEnding || this.#isBusy()) break
      else at = this.#readHead(bytes, at)
    }
    this.#unparsed = at === bytes.length ? NOTHING : bytes.subarray(at)
  }

  #readHead(bytes: Buffer, from: number): number {
    const head = this.#heads.read(bytes, from)
    if (head === undefined) this.#isLineIncomplete = true
    else if (head.kind === 'malformed') this.#refuse(this.#deps.service.refuse(head.status, head.message))
    else if (head.isWebSocketUpgrade) this.#upgrade = head
    else this.#begin(head)
    return this.#heads.position
  }

  #begin(head: RequestHead): void {
    this.#hasRead = true
    this.#since = performance.now()
    this.#isEnding ||= head.isLast
    this.#deps.writes.writeOverdue()
    const { service } = this.#deps
    if (head.expectation === 'unknown') {
      this.#refuse(service.refuse(417, 'the only expectation that is met is 100-continue'), head.method)
      return
    }
    const peer = this.#peerOf(head)
    if (peer === undefined) return
    const opened = service.open(head, peer)
    if (isRefusal(opened)) this.#refuse(opened.response, head.method)
    else if (head.hasBody) this.#beginBody(head, opened)
    else this.#answers.take(opened.kind === 'body' ? opened.handle('') : opened.response, head)
  }

  /** `undefined`: the request is refused. */
  #peerOf(head: RequestHead): HttpPeer | undefined {
    const client = this.#deps.clients.ofRequest(head, this.#peerAddress, this)
    if (client === this) return this
    if (client === undefined) this.#refuse(this.#deps.service.refuse(400, UNNAMED_CLIENT), head.method)
    return client && { ...client, unread: this.unread, connection: this, isGone: () => this.isGone() }
  }

  #beginBody(head: RequestHead, opened: Opened): void {
    const { maxBodyBytes } = this.#limits
    if (head.length !== 'chunked' && head.length > maxBodyBytes) {
      this.#refuse(opened.kind === 'body' ? opened.tooLarge(maxBodyBytes) : opened.response, head.method)
      return
    }
    if (head.expectation === 'continue') this.#answers.takeContinue()
    this.#incoming = new IncomingBody({ head, maxBytes: maxBodyBytes }, opened)
  }

  /** @returns the position up to which the bytes were read */
  #readBody(incoming: IncomingBody, bytes: Buffer, from: number): number {
    const problem = incoming.read(bytes, from)
    if (problem !== undefined) {
      this.#refuse(this.#deps.service.refuse(problem.status, problem.message))
      return bytes.length
    }
    if (incoming.isComplete) {
      this.#forgetBody()
      this.#deps.writes.writeOverdue()
      this.#answers.take(this.#handle(incoming), incoming.head)
      if (this.#isEnding) this.#answers.endAfterAll()
      return incoming.position
    }
    if (incoming.position < bytes.length) this.#isLineIncomplete = true
    if (incoming.bytes > 0) this.#charge(incoming.bytes)
    return incoming.position
  }

  /** The body counts until the response to it. */
  #handle(incoming: IncomingBody): ReturnType<IncomingBody['handle']> {
    const response = incoming.handle()
    if (response instanceof Promise && incoming.bytes > 0) {
      const release = this.#deps.requests.take(incoming.bytesUntilResponse)
      const end = () => {
        release()
        incoming.discard()
      }
      response.then(end, end)
    }
    return response
  }

  #charge(bytes: number): void {
    this.#received ??= this.#deps.requests.begin({
      onRoom: () => {
        this.#isWaiting = false
        this.#readOn()
      },
      onRefused: () => this.#refuse(this.#deps.service.refuse(503, TOO_MANY_INCOMPLETE, { 'retry-after': '1' })),
    })
    this.#isWaiting = !this.#received.update(bytes)
  }

  #forgetBody(): void {
    this.#received?.end()
    this.#received = undefined
    this.#isWaiting = false
    this.#incoming = undefined
  }

  /** Closes the connection with a response in the place of that to the request that is being read. */
  #refuse(answer: HttpResponse | Promise<HttpResponse>, method = 'GET'): void {
    this.#incoming?.abandon()
    this.#forgetBody()
    // Requests behind a response that closes the connection are not run (RFC 9112, section 9.6).
    this.#isEnding = true
    this.#answers.take(answer, { method, isLast: true })
  }

  #isBusy(): boolean {
    const { size } = this.#answers
    if (size >= MAX_UNDER_WAY || this.#deps.socket.writableNeedDrain) return true
    // One request of each connection at a time.
    return size > 0 && this.#incoming === undefined && !this.#deps.requests.hasRoom()
  }

  #isInHead(): boolean {
    return this.#heads.isStarted || this.#isLineIncomplete
  }

  /** The bytes behind the request belong to the WebSocket. */
  #beginUpgrade(head: RequestHead): void {
    this.#setPaused(this.#answers.size > 0)
    if (this.#answers.size > 0 || this.#isEnding || this.isGone()) return
    this.#upgrade = undefined
    const peer = this.#peerOf(head)
    if (peer === undefined) return
    const opened = this.#deps.upgrades.open(head, peer)
    if (typeof opened !== 'function') {
      this.#refuse(opened)
      return
    }
    opened(this.#leaveSocket(), this.#unparsed)
    this.#unparsed = NOTHING
  }

  /** @returns the socket, which another component owns from now on */
  #leaveSocket(): Socket {
    const { socket, onUpgraded } = this.#deps
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener)
    socket.setTimeout(0)
    this.#isEnding = true
    onUpgraded()
    return socket
  }

  #setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    if (isPaused) this.#deps.socket.pause()
    else this.#deps.socket.resume()
  }

  #onWritten(): void {
    if (!this.#isHalfClosed && !this.#isLingering) this.#since = performance.now()
    this.#readOn()
  }

  #onHalfClosed(): void {
    this.#isHalfClosed = true
    if (this.#isLingering) this.#deps.socket.destroySoon()
    this.#since = performance.now()
    this.#readOn()
    // Nothing of what is held may be lost to a reset.
    this.#answers.flush()
  }

  /** The client may still read: it receives the responses to what it sent. */
  #endHalfClosed(): void {
    if (this.#isEnding && this.#incoming === undefined) this.#answers.endAfterAll()
    else if (this.#unparsed.length === 0 || this.#isLineIncomplete) {
      const isIncomplete = this.#incoming !== undefined || this.#isInHead()
      if (isIncomplete) this.#refuse(this.#deps.service.refuse(400, 'the request is incomplete'))
      else this.end()
    }
  }

  /** Sends the end of the responses and, if there were any, reads until the client has closed its side. */
  #close(hasWritten: boolean): void {
    const { socket } = this.#deps
    if (this.#isHalfClosed || !hasWritten) {
      socket.destroySoon()
      return
    }
    this.#isLingering = true
    this.#since = performance.now()
    this.#setPaused(false)
    socket.end()
  }

  #onClosed(): void {
    this.#incoming?.abandon()
    this.#forgetBody()
    this.#answers.abandon()
  }
}
