import type { Corkable } from '../../../src/server/websocket/outgoing-socket.ts'
import type { SimulatedSocket } from '../world/simulated-socket.ts'

const TWO_BYTES = 126
const EIGHT_BYTES = 127

/** The connection below a simulated WebSocket: it carries messages, so frames that are written to it are read here. */
export class FrameStream implements Corkable {
  readonly #socket: SimulatedSocket

  constructor(socket: SimulatedSocket) {
    this.#socket = socket
  }

  cork(): void {}

  uncork(): void {}

  /** @param frames whole unmasked text frames, one character per byte */
  write(frames: string, encoding: 'latin1', written: () => void): void {
    const bytes = Buffer.from(frames, encoding)
    for (let start = 0; start < bytes.length; ) {
      const { from, to } = payloadAt(bytes, start)
      const isLast = to === bytes.length
      const writeBytes = start === 0 ? bytes.length : undefined
      this.#socket.send(bytes.toString('utf8', from, to), { writeBytes }, isLast ? written : undefined)
      start = to
    }
  }
}

/** The limits of the payload of the frame that begins there (RFC 6455, section 5.2). */
function payloadAt(bytes: Buffer, start: number): { readonly from: number; readonly to: number } {
  const short = bytes[start + 1]!
  if (short === TWO_BYTES) return { from: start + 4, to: start + 4 + bytes.readUInt16BE(start + 2) }
  if (short === EIGHT_BYTES) return { from: start + 10, to: start + 10 + bytes.readUIntBE(start + 4, 6) }
  return { from: start + 2, to: start + 2 + short }
}
