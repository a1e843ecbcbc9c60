import type { Duplex } from 'node:stream'
import { type Server, WebSocket, WebSocketServer } from 'ws'
import type { ServerLimits } from '../transport/limits.ts'
import type { SocketEndpoint } from './socket-endpoint.ts'
import { frameHeader } from './text-frames.ts'

/** Characters that Node writes from the stack, without a buffer, minus room for the frame header. */
const SMALL = 15 * 1024

/**
 * A WebSocket that writes small ASCII messages as one string including the frame header. `ws` makes two buffers and a
 * vectored write for each, which takes longer than all other work for a small response. Server frames are not masked,
 * and `ws` sends the frames of a message in one step, so nothing is written between them.
 */
export class DirectTextSocket extends WebSocket {
  #stream: Duplex | undefined
  #isPaused = false
  #isHeld = false

  /** @param stream the open connection, without compression */
  writeDirectlyTo(stream: Duplex): void {
    this.#stream = stream
  }

  override pause(): void {
    this.#isPaused = true
    super.pause()
  }

  override resume(): void {
    this.#isPaused = false
    if (!this.#isHeld) super.resume()
  }

  /** Stops reading, whether the socket is paused or not. */
  holdReading(): void {
    this.#isHeld = true
    super.pause()
  }

  continueReading(): void {
    this.#isHeld = false
    if (!this.#isPaused) super.resume()
  }

  override send(data: Parameters<WebSocket['send']>[0], ...rest: unknown[]): void {
    const [written] = rest
    const hasNoOptions = written === undefined || typeof written === 'function'
    if (this.#stream !== undefined && hasNoOptions && this.readyState === this.OPEN && isSmallAscii(data)) {
      this.#stream.write(`${frameHeader(data.length)}${data}`, 'latin1', written as (() => void) | undefined)
    } else {
      super.send(data, ...(rest as []))
    }
  }
}

function isSmallAscii(data: unknown): data is string {
  return typeof data === 'string' && data.length <= SMALL && Buffer.byteLength(data) === data.length
}

export type TextSocketServer = Server<typeof DirectTextSocket>

/** No compression per socket: messages are small or compressed once for all, and the sequencer shares this thread. */
export function textSocketServer(
  { maxPayloadBytes: maxPayload }: Pick<SocketEndpoint, 'maxPayloadBytes'>,
  { maxFragments }: Pick<ServerLimits, 'maxFragments'>,
): TextSocketServer {
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false } as const
  return new WebSocketServer({ ...options, maxPayload, maxFragments, WebSocket: DirectTextSocket })
}
