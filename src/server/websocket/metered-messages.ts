import type { Socket } from 'node:net'
import { MAPPED_FROM, MappedCopies } from '../transport/mapped-bytes.ts'
import type { RequestBudget } from '../transport/request-budget.ts'
import type { CloseCode } from '../transport/statuses.ts'
import type { DirectTextSocket } from './direct-text-socket.ts'

const TRY_AGAIN_LATER = 1013 satisfies CloseCode
/** Bytes of a masked control frame without its payload (RFC 6455, section 5.2). */
const CONTROL_FRAME = 6
/** Bytes whose reading takes about as long as a frame without payload. */
const FRAME_WORK = 1_024
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
}

/**
 * Counts the bytes of the message that a client is sending, fragments included, holds the socket while there is no room
 * for more, and closes it when the message is not complete in time. A client that sends complete messages or pings
 * without pause is read in rounds of the event loop.
 */
export function meterMessages(
  socket: DirectTextSocket,
  { requestTimeoutMs }: Options,
  { stream, requests }: Deps,
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
  const charge = requests.begin({
    onRoom: () => {
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
  stream.push = (chunk: Buffer | null) => {
    const isLarge = chunk !== null && (chunk.length >= FULL_READ || bytes + chunk.length >= MAPPED_FROM)
    return push.call(stream, isLarge ? copies.copy(chunk) : chunk)
  }
  socket.on('message', () => {
    isComplete = true
    frames++
  })
  socket.on('ping', countControl)
  socket.on('pong', countControl)
  stream.on('data', (chunk: Buffer) => {
    const wasIdle = bytes === 0
    bytes = isComplete ? 0 : Math.max(0, bytes + chunk.length - controlBytes)
    const work = chunk.length + frames * FRAME_WORK
    isComplete = false
    controlBytes = 0
    frames = 0
    if (bytes === 0) {
      clearTimeout(deadline)
      copies.forgetBlock()
    } else if (wasIdle) awaitRest()
    if (charge.update(bytes, work)) return
    clearTimeout(deadline)
    socket.holdReading()
  })
  stream.on('close', () => {
    clearTimeout(deadline)
    charge.end()
    copies.forgetBlock()
  })
}
