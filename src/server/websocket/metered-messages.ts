import type { Socket } from 'node:net'
import { systemClock } from '../../node/core/clock.ts'
import { MAPPED_FROM, MappedCopies } from '../transport/mapped-bytes.ts'
import type { RequestBudget, RequestCharge } from '../transport/request-budget.ts'
import type { CloseCode } from '../transport/statuses.ts'
import type { DirectTextSocket } from './direct-text-socket.ts'

const TRY_AGAIN_LATER = 1013 satisfies CloseCode
/** Bytes of a masked control frame without its payload (RFC 6455, section 5.2). */
const CONTROL_FRAME = 6
/** Bytes whose reading takes about as long as a frame without payload. */
const FRAME_WORK = 1_024
/** Bytes whose reading takes about a millisecond: a message of many fragments takes longer than its bytes. */
const MILLISECOND_WORK = 512 * 1024
/** Bytes that are read and discarded after an error, so that a client that still sends can read the close frame. */
export const MAX_DISCARDED_BYTES = 16 * 1024 * 1024
/** Bytes of a read that fills its buffer: more follows. */
const FULL_READ = 64 * 1024

interface Options {
  /** Milliseconds that a client may take to send a message, without the time in which there is no room for it. */
  readonly requestTimeoutMs: number
}

interface Deps {
  /** The connection of the socket, which reads it before this function does. */
  readonly stream: Socket
  readonly requests: RequestBudget
  /** Milliseconds on the monotonic clock. */
  readonly now?: () => number
}

/**
 * Counts the bytes of the message that a client is sending, fragments included, holds the socket while there is no room
 * for more, and closes it when the message is not complete in time. A client that sends complete messages or pings
 * without pause is read in rounds of the event loop, and so are many clients that send at once.
 */
export function meterMessages(socket: DirectTextSocket, options: Options, deps: Deps): void {
  new MessageMeter(socket, options, deps)
}

class MessageMeter {
  readonly #socket: DirectTextSocket
  readonly #options: Options
  readonly #stream: Socket
  readonly #now: () => number
  readonly #charge: RequestCharge
  readonly #copies = new MappedCopies()
  /** `ws` keeps what is pushed until the message is complete. */
  readonly #push: Socket['push']
  /** Chunks that arrived when the time of a round was used; the last one is `null` when the client has ended. */
  readonly #waiting: (Buffer | null)[] = []
  #deadline: NodeJS.Timeout | undefined
  /** Bytes of the incomplete message. */
  #bytes = 0
  #controlBytes = 0
  /** Complete frames in the chunk that is being read. */
  #frames = 0
  #isComplete = false
  /** When the chunk that is being read was begun. */
  #since: number | undefined
  /** The client broke the protocol or a limit, and the close frame is sent. */
  #hasFailed = false
  #discardedBytes = 0

  constructor(socket: DirectTextSocket, options: Options, { stream, requests, now = systemClock.monotonic }: Deps) {
    this.#socket = socket
    this.#options = options
    this.#stream = stream
    this.#now = now
    this.#push = stream.push.bind(stream)
    this.#charge = requests.begin({
      onRoom: () => this.#readOn(),
      onRefused: () => this.#refuse('the node has too many incomplete requests'),
    })
    stream.push = (chunk: Buffer | null) => this.#take(chunk)
    const countControl = ({ length }: Buffer) => {
      this.#controlBytes += CONTROL_FRAME + length
      this.#frames++
    }
    socket.on('message', () => {
      this.#isComplete = true
      this.#frames++
    })
    socket.on('ping', countControl)
    socket.on('pong', countControl)
    socket.on('error', () => {
      this.#hasFailed = true
    })
    stream.on('data', (chunk: Buffer) => this.#count(chunk))
    stream.on('close', () => this.#end())
  }

  #take(chunk: Buffer | null): boolean {
    if (this.#waiting.length === 0 && (chunk === null || this.#charge.mayRead())) return this.#read(chunk)
    this.#waiting.push(chunk)
    return false
  }

  #read(chunk: Buffer | null): boolean {
    if (chunk === null) return this.#push(null)
    const isLarge = chunk.length >= FULL_READ || this.#bytes + chunk.length >= MAPPED_FROM
    this.#since = this.#now()
    const isWanted = this.#push(isLarge && !this.#hasFailed ? this.#copies.copy(chunk) : chunk)
    this.#since = undefined
    return isWanted
  }

  /** Called when `ws` has read the chunk. */
  #count(chunk: Buffer): void {
    const wasIdle = this.#bytes === 0
    const isBetween = this.#isComplete || this.#hasFailed
    this.#bytes = isBetween ? 0 : Math.max(0, this.#bytes + chunk.length - this.#controlBytes)
    const milliseconds = this.#since === undefined ? 0 : this.#now() - this.#since
    const work = Math.max(chunk.length + this.#frames * FRAME_WORK, milliseconds * MILLISECOND_WORK)
    this.#isComplete = false
    this.#controlBytes = 0
    this.#frames = 0
    if (this.#hasFailed) this.#discardedBytes += chunk.length
    if (this.#discardedBytes > MAX_DISCARDED_BYTES) this.#stream.destroy()
    if (this.#bytes === 0) {
      clearTimeout(this.#deadline)
      this.#copies.forgetBlock()
    } else if (wasIdle) this.#awaitRest()
    if (this.#charge.update(this.#bytes, work)) return
    clearTimeout(this.#deadline)
    this.#socket.holdReading()
  }

  #readOn(): void {
    while (this.#waiting.length > 0 && (this.#waiting[0] === null || this.#charge.mayRead())) {
      this.#read(this.#waiting.shift()!)
    }
    if (this.#waiting.length > 0) return
    if (this.#bytes > 0) this.#awaitRest()
    this.#socket.continueReading()
  }

  #awaitRest(): void {
    clearTimeout(this.#deadline)
    const { requestTimeoutMs } = this.#options
    this.#deadline = setTimeout(() => this.#refuse('the message was not complete in time'), requestTimeoutMs).unref()
  }

  #refuse(reason: string): void {
    this.#socket.close(TRY_AGAIN_LATER, reason)
    this.#stream.destroySoon()
  }

  #end(): void {
    clearTimeout(this.#deadline)
    this.#charge.end()
    this.#waiting.length = 0
    this.#copies.forgetBlock()
  }
}
