import { EventEmitter } from 'node:events'
import type { Frame, LinkEnd } from './network.ts'
import type { Actor } from './scheduler.ts'

const CONNECTING = 0
const OPEN = 1
const CLOSED = 3

/** How one message or one fragment is sent, as in `ws`. */
interface SendOptions {
  readonly binary?: boolean
  /** False: another fragment of the message follows. */
  readonly fin?: boolean
  /** Not of `ws`: bytes of the write that begins with this message. */
  readonly writeBytes?: number
}

/** The part of a `WebSocket` of `ws` that the sources and the clients use, on a simulated connection. */
export class SimulatedSocket extends EventEmitter {
  readonly OPEN = OPEN
  readyState: number
  readonly #end: LinkEnd
  /** Fragments of an incomplete message. */
  readonly #fragments: Buffer[] = []

  /** @param isOpen false: the connection is being opened, see `opened` */
  constructor(end: LinkEnd, isOpen: boolean) {
    super()
    this.#end = end
    this.readyState = isOpen ? OPEN : CONNECTING
    end.onFrame = (frame) => this.#receive(frame)
  }

  opened(): void {
    if (this.readyState !== CONNECTING) return
    this.readyState = OPEN
    this.emit('open')
  }

  get isPaused(): boolean {
    return this.#end.isPaused
  }

  /** The process at the other end, once it is connected. */
  get peer(): Actor | undefined {
    return this.#end.peer
  }

  get bufferedAmount(): number {
    return this.#end.unreadBytes
  }

  send(data: string | Uint8Array, ...rest: readonly (SendOptions | (() => void) | undefined)[]): void {
    const onSent = rest.find((one) => typeof one === 'function')
    const options = rest.find((one) => typeof one === 'object')
    if (this.readyState !== OPEN) {
      onSent?.()
      return
    }
    const isBinary = options?.binary ?? typeof data !== 'string'
    // Copied: the sender may use its memory again.
    this.#fragments.push(Buffer.from(data as string))
    if (options?.fin === false) return
    const bytes = Buffer.concat(this.#fragments.splice(0))
    this.#end.send(
      { kind: 'data', bytes, isBinary: isBinary && options?.fin === undefined },
      onSent,
      options?.writeBytes,
    )
  }

  ping(): void {
    if (this.readyState === OPEN) this.#end.send({ kind: 'ping' })
  }

  close(code = 1005, reason = ''): void {
    if (this.readyState !== OPEN) return
    this.#end.send({ kind: 'close', code, reason })
    this.#closed(code, reason)
  }

  terminate(): void {
    this.#end.terminate()
    this.#closed(1006, '')
  }

  pause(): void {
    this.#end.pause()
  }

  resume(): void {
    this.#end.resume()
  }

  #receive(frame: Frame): void {
    if (this.readyState === CLOSED) return
    switch (frame.kind) {
      case 'data':
        this.emit('message', frame.bytes, frame.isBinary)
        break
      case 'ping':
        this.#end.send({ kind: 'pong' })
        break
      case 'pong':
        this.emit('pong')
        break
      case 'close':
        this.#end.terminate()
        this.#closed(frame.code, frame.reason)
        break
      case 'lost':
        if (this.readyState === CONNECTING) this.emit('error', new Error('connection refused'))
        this.#closed(1006, '')
    }
  }

  #closed(code: number, reason: string): void {
    if (this.readyState === CLOSED) return
    this.readyState = CLOSED
    queueMicrotask(() => this.emit('close', code, Buffer.from(reason)))
  }
}
