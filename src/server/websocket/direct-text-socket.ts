import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { frameHeader } from './text-frames.ts'

/** Characters up to which Node writes a text from the stack, without a buffer; a little less, for the head of the frame. */
const SMALL = 15 * 1024

/**
 * A WebSocket that writes small messages of ASCII as one text, frame and all: `ws` makes two buffers of each, and a vectored
 * write, which takes longer than all else about a small answer. A server's frames are not masked, and nothing is ever
 * between two of `ws` that belong together, as it sends those in one step.
 */
export class DirectTextSocket extends WebSocket {
  #stream: Duplex | undefined

  /** @param stream the connection below, once it is open; nothing compresses its messages */
  writeDirectlyTo(stream: Duplex): void {
    this.#stream = stream
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
