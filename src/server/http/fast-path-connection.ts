import type { Socket } from 'node:net'
import type { CoalescedWrites } from '../coalesced-writes.ts'
import type { ServerLimits } from '../limits.ts'
import type { ChargeCost } from '../rate-limiter.ts'
import { type HttpPeer, KEEP_ALIVE_TIMEOUT } from './exchange.ts'
import { type FastPathHead, FastPathHeadParser } from './fast-path-head.ts'
import type { HttpService, RpcExchange, ServerLog } from './http-service.ts'
import { ResponseQueue } from './response-queue.ts'

/** Requests in flight per connection; beyond it the connection is not read. */
const MAX_UNDER_WAY = 16
/** Responses of Node's server to a request that times out, and to one that is incomplete. */
const REQUEST_TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'

export interface FastPathConnectionDeps {
  readonly socket: Socket
  readonly writes: CoalescedWrites
  readonly service: HttpService
  readonly charge: ChargeCost
  readonly log: ServerLog
  /** Hands the socket to Node's server. */
  readonly handOver: () => void
}

/** A request whose body is incomplete. */
interface Incoming {
  readonly head: FastPathHead
  /** `undefined`: answered without its body. */
  readonly exchange: RpcExchange | undefined
  readonly chunks: Buffer[]
  missing: number
}

/**
 * Parses the requests of a connection while they are simple. The first one that is not hands the connection to Node's
 * server.
 */
export class FastPathConnection implements HttpPeer {
  readonly address: string
  readonly charge: ChargeCost
  readonly unread = { bytes: 0 }
  readonly #limits: ServerLimits
  readonly #deps: FastPathConnectionDeps
  readonly #answers: ResponseQueue
  readonly #heads = new FastPathHeadParser()
  readonly #listeners: Readonly<Record<string, (chunk: Buffer) => void>>
  #incoming: Incoming | undefined
  /** Received bytes that are not parsed yet. */
  #unread: Buffer | undefined
  /** The unread bytes are for Node's server. */
  #isUnusual = false
  #isPaused = false
  /** No further requests are read. */
  #isEnding = false
  #hasRead = false
  /** Since when the connection waits for its first request, for the rest of one, or for the next. */
  #since = performance.now()

  constructor(limits: ServerLimits, deps: FastPathConnectionDeps) {
    this.#limits = limits
    this.#deps = deps
    const { socket, writes, charge, log } = deps
    this.address = socket.remoteAddress ?? ''
    this.charge = charge
    this.#answers = new ResponseQueue(limits, { socket, writes, log, onWritten: () => this.#onWritten() })
    this.#listeners = {
      data: (chunk) => this.#receive(chunk),
      end: () => this.#onHalfClosed(),
      drain: () => this.#readOn(),
      // The client does not read its responses.
      timeout: () => this.destroy(),
      // `close` follows.
      error: () => undefined,
      close: () => this.#answers.abandon(),
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
    const { headersTimeout, requestTimeout } = this.#limits
    const waited = now - this.#since
    if (this.#incoming !== undefined) {
      if (waited > requestTimeout) this.#abort(REQUEST_TIMEOUT)
    } else if (!this.#hasRead) {
      if (waited > headersTimeout) this.#abort(REQUEST_TIMEOUT)
    } else if (this.#answers.size > 0 || this.#deps.socket.writableLength > 0) {
      // The client waits for a response, or is reading one.
      this.#since = now
    } else if (waited > KEEP_ALIVE_TIMEOUT) {
      this.destroy()
    }
  }

  #receive(chunk: Buffer): void {
    this.#unread = chunk
    this.#readOn()
  }

  /** Parses received bytes as far as possible. */
  #readOn(): void {
    try {
      for (let bytes = this.#takeUnread(); bytes !== undefined; bytes = this.#takeUnread()) {
        const next = bytes
        this.#answers.together(() => this.#read(next))
        // Frees room for requests that could not be started.
        if (this.#unread !== undefined) this.#answers.flush()
      }
    } catch (error) {
      this.#deps.log.error({ err: error }, 'an HTTP request failed unexpectedly')
      this.destroy()
    }
  }

  #read(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#incoming !== undefined) {
        at = this.#readRequestBody(this.#incoming, chunk, at)
        continue
      }
      if (this.#isEnding) return
      const head = this.#isBusy() ? 'later' : this.#heads.read(chunk, at)
      this.#isUnusual = head === undefined || (head !== 'later' && !this.#isForHere(head))
      if (head === undefined || head === 'later' || this.#isUnusual) {
        this.#unread = chunk.subarray(at)
        return
      }
      this.#begin(head)
      at += head.size
    }
  }

  #isForHere({ length }: FastPathHead): boolean {
    return length <= this.#limits.maxBodyBytes
  }

  #begin(head: FastPathHead): void {
    this.#hasRead = true
    this.#since = performance.now()
    this.#isEnding ||= head.isLast
    this.#deps.writes.writeOverdue()
    const opened = this.#deps.service.open(head, this)
    if (opened.kind === 'answer') {
      const { handle: answer } = opened
      // Requests behind a response that closes the connection are not run (RFC 9112, section 9.6).
      if (!(answer instanceof Promise) && answer.isLast) this.#isEnding = true
      this.#answers.take(answer, head.isLast)
    } else if (head.length === 0) this.#answers.take(opened.handle(''), head.isLast)
    if (head.length === 0) return
    const exchange = opened.kind === 'rpc' ? opened : undefined
    this.#incoming = { head, exchange, chunks: [], missing: head.length }
  }

  /** @returns the position up to which the chunk was read */
  #readRequestBody(incoming: Incoming, chunk: Buffer, from: number): number {
    const { exchange, chunks, head } = incoming
    const end = Math.min(chunk.length, from + incoming.missing)
    incoming.missing -= end - from
    if (exchange !== undefined) {
      const part = chunk.subarray(from, end)
      if (incoming.missing > 0) chunks.push(part)
      else {
        this.#deps.writes.writeOverdue()
        const body = chunks.length === 0 ? part : Buffer.concat([...chunks, part])
        this.#answers.take(exchange.handle(body.toString('utf8')), head.isLast)
      }
    }
    if (incoming.missing === 0) {
      this.#incoming = undefined
      if (this.#isEnding) this.#answers.endAfterAll()
    }
    return end
  }

  #isBusy(): boolean {
    return this.#answers.size >= MAX_UNDER_WAY || this.#deps.socket.writableNeedDrain
  }

  /** Bytes that can be parsed now. They wait for room; unusual ones for the responses to all earlier requests. */
  #takeUnread(): Buffer | undefined {
    const unread = this.#unread
    const isOver = this.isGone() || (this.#isEnding && this.#incoming === undefined)
    if (unread === undefined || isOver) return undefined
    if (this.#isUnusual ? this.#answers.size > 0 : this.#isBusy()) {
      this.#setPaused(true)
      return undefined
    }
    this.#unread = undefined
    if (this.#isUnusual) {
      this.#leave(unread)
      return undefined
    }
    this.#setPaused(false)
    return unread
  }

  /** Node's server reads the unparsed bytes from the socket. */
  #leave(unread: Buffer): void {
    const { socket, handOver } = this.#deps
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener)
    socket.unshift(unread)
    handOver()
    this.#setPaused(false)
  }

  #setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    if (isPaused) this.#deps.socket.pause()
    else this.#deps.socket.resume()
  }

  #onWritten(): void {
    this.#since = performance.now()
    this.#readOn()
  }

  /** A half-closed connection is closed, as Node's server does. */
  #onHalfClosed(): void {
    this.#isEnding = true
    if (this.#incoming !== undefined) {
      this.#abort(BAD_REQUEST)
      return
    }
    // Nothing can be written after the end.
    this.#answers.flush()
    this.#deps.socket.end()
  }

  /** Sends no response when the client would take it for the one to an earlier request. */
  #abort(text: string): void {
    this.#answers.flush()
    if (this.#answers.size === 0) this.#deps.socket.write(text)
    this.destroy()
  }
}
