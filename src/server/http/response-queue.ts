import type { Socket } from 'node:net'
import type { BodyStream } from '../../rest/http/rest-service.ts'
import type { CoalescedWrites } from '../transport/coalesced-writes.ts'
import type { HttpResponse, ServerLog } from './exchange.ts'
import { responseBytes, responseHead } from './response-bytes.ts'

/** Characters that Node writes from the stack, without a buffer (16 KiB). */
const SMALL = 15 * 1024
/** Interim response to `Expect: 100-continue` (RFC 9110, section 15.2.1). */
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** Response when the real one failed. */
const FAILED: HttpResponse = { status: 500, headers: {}, body: '', isLast: true }

const NOT_LAST: AnsweredRequest = { method: 'POST', isLast: false }

interface Options {
  /** Milliseconds that a client may leave a response unread. */
  readonly writeTimeoutMs: number
}

interface Deps {
  readonly socket: Socket
  readonly writes: CoalescedWrites
  readonly log: ServerLog
  /** Called when responses were written in a later step than they were added. */
  readonly onWritten: () => void
  /**
   * Called when the connection has to close: nothing more is written.
   *
   * @param hasWritten whether a response was written for it
   */
  readonly onLast: (hasWritten: boolean) => void
  /** Called instead of `onLast` behind the head of a response whose body is a stream. */
  readonly onStream: (stream: BodyStream) => void
}

interface EncodedAnswer {
  readonly head: string
  readonly body: string | Uint8Array
  readonly bytes: number
}

/** A position in the order of responses. */
interface Slot {
  /** `undefined`: pending. */
  answer: HttpResponse | typeof CONTINUE | undefined
  readonly request: AnsweredRequest
}

/** The parts of a request on which its response depends. */
interface AnsweredRequest {
  /** The response to HEAD has no body. */
  readonly method: string
  /** The connection closes with the response. */
  readonly isLast: boolean
}

/** Writes the responses of one connection in the order of their requests, all available ones in one write. */
export class ResponseQueue {
  readonly #options: Options
  readonly #deps: Deps
  readonly #slots: Slot[] = []
  /** One closure for all rounds. */
  readonly #endHolding = () => {
    this.#isFlushHeld = false
    this.#flushPlanned()
  }
  readonly #onWritten = () => this.#deps.onWritten()
  #isHeld = false
  /** Whether a flush is scheduled for the end of this step, or of this round. */
  #isFlushPlanned = false
  #isFlushHeld = false
  #isEnding = false
  #hasEnded = false
  #isAbandoned = false
  #isTimed = false

  constructor(options: Options, deps: Deps) {
    this.#options = options
    this.#deps = deps
  }

  /** Responses that are not written. */
  get size(): number {
    return this.#slots.length
  }

  /**
   * Adds the response to the next request.
   *
   * @param answer `undefined`: the client has disconnected
   */
  take(answer: HttpResponse | undefined | Promise<HttpResponse | undefined>, request: AnsweredRequest): void {
    if (!(answer instanceof Promise)) {
      if (answer === undefined) return
      if (this.#isAbandoned) discardResponse(answer)
      else this.#slots.push({ answer, request })
      this.#planFlush()
      return
    }
    const slot: Slot = { answer: undefined, request }
    this.#slots.push(slot)
    const answered = (late: HttpResponse | undefined) => {
      if (this.#isAbandoned) discardResponse(late)
      else slot.answer = late
      this.#planFlush()
    }
    answer.then(answered, (error: unknown) => {
      this.#deps.log.error({ err: error }, 'an HTTP request failed unexpectedly')
      answered(FAILED)
    })
  }

  /** Lets the client send the body of the next request when all responses to earlier ones are written. */
  takeContinue(): void {
    if (this.#isAbandoned) return
    this.#slots.push({ answer: CONTINUE, request: NOT_LAST })
    this.#planFlush()
  }

  /**
   * Writes the responses that `work` adds in one piece: at its end, or, if all are small, coalesced with those of other
   * connections in this round of the event loop.
   */
  together(work: () => void): void {
    this.#isHeld = true
    try {
      work()
    } finally {
      this.#isHeld = false
    }
    if (this.#slots[0]?.answer === undefined) return
    if (!this.#slots.every(isSmall)) {
      this.flush()
      return
    }
    if (this.#isFlushPlanned || this.#isFlushHeld) return
    this.#isFlushHeld = true
    this.#deps.writes.hold(this.#endHolding, this.#onWritten)
  }

  /** Writes the available responses. */
  flush(): void {
    // A write after the end would discard data in transit to a half-closed client.
    if (!this.#deps.socket.writable) this.abandon()
    let text = ''
    let releases: (() => void)[] = []
    for (let slot = this.#slots[0]; slot?.answer !== undefined; slot = this.#slots[0]) {
      this.#slots.shift()
      const { answer, request } = slot
      if (answer === CONTINUE) {
        text += CONTINUE
        continue
      }
      const { stream } = answer
      const isLast =
        request.isLast || answer.isLast === true || stream !== undefined || (this.#isEnding && this.#slots.length === 0)
      const { head, body, bytes } = this.#encode(answer, request.method, isLast)
      if (answer.release !== undefined) releases.push(answer.release)
      if (typeof body === 'string' && bytes === body.length && text.length + head.length + bytes <= SMALL) {
        text += head + body
      } else {
        if (text !== '') this.#write(text, [])
        text = ''
        if (typeof body === 'string') this.#writeLarge(() => responseBytes(head, body, bytes), releases)
        else this.#writeBytes(head, body, releases)
        releases = []
      }
      if (!isLast) continue
      this.#isEnding = true
      this.abandon()
      if (stream !== undefined) {
        this.#beginStream(text, releases, stream)
        return
      }
    }
    if (text !== '') this.#write(text, releases)
    if (this.#isEnding && this.#slots.length === 0) this.#end(true)
  }

  /** Closes the connection after all responses: now, if there are none. */
  endAfterAll(): void {
    this.#isEnding = true
    if (this.#slots.length === 0) this.#end(false)
  }

  /** Discards all responses, present and future. */
  abandon(): void {
    this.#isAbandoned = true
    for (const { answer } of this.#slots) if (answer !== CONTINUE) discardResponse(answer)
    this.#slots.length = 0
  }

  #end(hasWritten: boolean): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#deps.onLast(hasWritten)
  }

  /** The stream writes behind the head, and watches how the client reads. */
  #beginStream(head: string, releases: readonly (() => void)[], stream: BodyStream): void {
    this.#hasEnded = true
    this.#deps.socket.setTimeout(0)
    this.#isTimed = false
    this.#deps.socket.write(head, 'latin1', () => releaseAll(releases))
    this.#deps.onStream(stream)
  }

  #planFlush(): void {
    if (this.#isFlushPlanned || this.#isHeld) return
    this.#isFlushPlanned = true
    process.nextTick(() => {
      this.#isFlushPlanned = false
      this.#flushPlanned()
      this.#deps.onWritten()
    })
  }

  #flushPlanned(): void {
    try {
      this.flush()
    } catch (error) {
      // An error must not affect other connections of the same write.
      this.#deps.log.error({ err: error }, 'HTTP answers could not be written')
      this.#deps.socket.destroy()
    }
  }

  #encode(answer: HttpResponse, method: string, isLast: boolean): EncodedAnswer {
    const { body, bytes = Buffer.byteLength(body) } = answer
    try {
      const head = responseHead(answer, bytes, isLast)
      return method === 'HEAD' ? { head, body: '', bytes: 0 } : { head, body, bytes }
    } catch (error) {
      this.#deps.log.error({ err: error }, 'an HTTP answer could not be written')
      return { head: responseHead(FAILED, 0, isLast), body: FAILED.body, bytes: 0 }
    }
  }

  /** Releases the bytes also when the allocation fails. */
  #writeLarge(make: () => Buffer, releases: readonly (() => void)[]): void {
    let data: Buffer
    try {
      data = make()
    } catch (error) {
      releaseAll(releases)
      throw error
    }
    this.#write(data, releases)
  }

  /** One write of both, without a copy of the body. */
  #writeBytes(head: string, body: Uint8Array, releases: readonly (() => void)[]): void {
    const { socket } = this.#deps
    socket.cork()
    socket.write(head, 'latin1')
    this.#write(body, releases)
    socket.uncork()
  }

  #write(data: string | Uint8Array, releases: readonly (() => void)[]): void {
    const { socket } = this.#deps
    socket.write(data as string, 'latin1', () => {
      releaseAll(releases)
      if (this.#isTimed && socket.writableLength === 0) this.#watchReading(0)
    })
    if (!this.#isTimed && socket.writableLength > 0) this.#watchReading(this.#options.writeTimeoutMs)
  }

  /** Node emits `timeout` for a connection without progress. */
  #watchReading(milliseconds: number): void {
    this.#isTimed = milliseconds > 0
    this.#deps.socket.setTimeout(milliseconds)
  }
}

function releaseAll(releases: readonly (() => void)[]): void {
  for (const release of releases) release()
}

/** Frees what a response holds that is not sent. */
export function discardResponse(answer: HttpResponse | undefined): void {
  answer?.release?.()
  answer?.stream?.close()
}

function isSmall({ answer }: Slot): boolean {
  return answer === undefined || answer === CONTINUE || (typeof answer.body === 'string' && answer.body.length <= SMALL)
}
