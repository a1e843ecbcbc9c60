import type { Socket } from 'node:net'
import { MAPPED_FROM, MappedCopies } from '../mapped-bytes.ts'
import type { RequestBudget, RequestCharge } from '../request-budget.ts'
import type { CloseCode } from '../statuses.ts'
import type { DirectTextSocket } from './direct-text-socket.ts'

const TRY_AGAIN_LATER = 1013 satisfies CloseCode
/** Bytes of a masked control frame without its payload (RFC 6455, section 5.2). */
const CONTROL_FRAME = 6
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
 * for more, and closes it when the message is not complete in time.
 */
export function meterMessages(
  socket: DirectTextSocket,
  { requestTimeoutMs }: Options,
  { stream, requests }: Deps,
): void {
  let charge: RequestCharge | undefined
  let deadline: NodeJS.Timeout | undefined
  let bytes = 0
  let controlBytes = 0
  let isComplete = false
  const copies = new MappedCopies()
  const end = () => {
    clearTimeout(deadline)
    charge?.end()
    charge = undefined
    bytes = 0
    copies.forgetBlock()
  }
  const refuse = (reason: string) => {
    socket.close(TRY_AGAIN_LATER, reason)
    stream.destroySoon()
  }
  const awaitRest = () => {
    clearTimeout(deadline)
    deadline = setTimeout(refuse, requestTimeoutMs, 'the message was not complete in time').unref()
  }
  const begin = () => {
    awaitRest()
    return requests.begin({
      onRoom: () => {
        awaitRest()
        socket.continueReading()
      },
      onRefused: () => refuse('the node has too many incomplete requests'),
    })
  }
  const countControl = ({ length }: Buffer) => {
    controlBytes += CONTROL_FRAME + length
  }
  // `ws` keeps what is pushed until the message is complete.
  const push = stream.push
  stream.push = (chunk: Buffer | null) => {
    const isLarge = chunk !== null && (chunk.length >= FULL_READ || bytes + chunk.length >= MAPPED_FROM)
    return push.call(stream, isLarge ? copies.copy(chunk) : chunk)
  }
  socket.on('message', () => {
    isComplete = true
  })
  socket.on('ping', countControl)
  socket.on('pong', countControl)
  stream.on('data', (chunk: Buffer) => {
    bytes = isComplete ? 0 : Math.max(0, bytes + chunk.length - controlBytes)
    isComplete = false
    controlBytes = 0
    if (bytes === 0) {
      if (charge !== undefined) end()
      return
    }
    charge ??= begin()
    if (charge.update(bytes)) return
    clearTimeout(deadline)
    socket.holdReading()
  })
  stream.on('close', end)
}
