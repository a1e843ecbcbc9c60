import type { Socket } from 'node:net'
import { systemClock } from '../../node/core/clock.ts'
import { MAPPED_FROM, MappedCopies } from '../transport/mapped-bytes.ts'
import type { RequestBudget } from '../transport/request-budget.ts'
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
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024
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
 * without pause is read in rounds of the event loop. Chunks that arrive when the time of a round is used wait for one of
 * the next rounds.
 */
export function meterMessages(
  socket: DirectTextSocket,
  { requestTimeoutMs }: Options,
  { stream, requests, now = systemClock.monotonic }: Deps,
): void {
  let deadline: NodeJS.Timeout | undefined
  /** Bytes of the incomplete message. */
  let bytes = 0
  let controlBytes = 0
  /** Complete frames in the chunk that is being read. */
  let frames = 0
  let isComplete = false
  const copies = new MappedCopies()
  const refuse = (reason: string) => {
    socket.close(TRY_AGAIN_LATER, reason)
    stream.destroySoon()
  }
  const awaitRest = () => {
    clearTimeout(deadline)
    deadline = setTimeout(refuse, requestTimeoutMs, 'the message was not complete in time').unref()
  }
  /** Chunks that wait for a round; the last one is `null` when the client has ended. */
  const waiting: (Buffer | null)[] = []
  let isFailed = false
  let discarded = 0
  /** When the chunk that is being read was begun. */
  let since: number | undefined
  const charge = requests.begin({
    onRoom: () => {
      while (waiting.length > 0 && (waiting[0] === null || charge.mayRead())) read(waiting.shift()!)
      if (waiting.length > 0) return
      if (bytes > 0) awaitRest()
      socket.continueReading()
    },
    onRefused: () => refuse('the node has too many incomplete requests'),
  })
  const countControl = ({ length }: Buffer) => {
    controlBytes += CONTROL_FRAME + length
    frames++
  }
  // `ws` keeps what is pushed until the message is complete.
  const push = stream.push
  const read = (chunk: Buffer | null): boolean => {
    if (chunk === null) return push.call(stream, null)
    const isLarge = !isFailed && (chunk.length >= FULL_READ || bytes + chunk.length >= MAPPED_FROM)
    since = now()
    const isWanted = push.call(stream, isLarge ? copies.copy(chunk) : chunk)
    since = undefined
    return isWanted
  }
  stream.push = (chunk: Buffer | null) => {
    if (waiting.length === 0 && (chunk === null || charge.mayRead())) return read(chunk)
    waiting.push(chunk)
    return false
  }
  socket.on('error', () => {
    isFailed = true
  })
  socket.on('message', () => {
    isComplete = true
    frames++
  })
  socket.on('ping', countControl)
  socket.on('pong', countControl)
  stream.on('data', (chunk: Buffer) => {
    const wasIdle = bytes === 0
    bytes = isComplete || isFailed ? 0 : Math.max(0, bytes + chunk.length - controlBytes)
    const work = Math.max(chunk.length + frames * FRAME_WORK, (since === undefined ? 0 : now() - since) * MILLISECOND_WORK)
    isComplete = false
    controlBytes = 0
    frames = 0
    if (bytes === 0) {
      clearTimeout(deadline)
      copies.forgetBlock()
    } else if (wasIdle) awaitRest()
    if (isFailed) discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) stream.destroy()
    if (charge.update(bytes, work)) return
    clearTimeout(deadline)
    socket.holdReading()
  })
  stream.on('close', () => {
    clearTimeout(deadline)
    charge.end()
    waiting.length = 0
    copies.forgetBlock()
  })
}
