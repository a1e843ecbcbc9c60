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

/**
 * Counts the bytes of the message that a client is sending, including earlier fragments, and pauses the socket while
 * the budget has no room for more.
 *
 * @param stream connection of the socket; the socket must read it before this function is called
 */
export function meterMessages(socket: DirectTextSocket, stream: Socket, budget: RequestBudget): void {
  let charge: RequestCharge | undefined
  let bytes = 0
  let controlBytes = 0
  let isComplete = false
  const copies = new MappedCopies()
  const end = () => {
    charge?.end()
    charge = undefined
    bytes = 0
    copies.forgetBlock()
  }
  const refuse = () => {
    socket.close(TRY_AGAIN_LATER, 'the node has too many incomplete requests')
    stream.destroySoon()
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
    charge ??= budget.begin({ onRoom: () => socket.continueReading(), onRefused: refuse })
    if (!charge.update(bytes)) socket.holdReading()
  })
  stream.on('close', end)
}
