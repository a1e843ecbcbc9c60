import type { WebSocket } from 'ws'
import type { CoalescedWrites } from '../transport/coalesced-writes.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ServerMonitor, SocketDropReason } from '../transport/monitor.ts'
import type { ResponseBudget } from '../transport/response-budget.ts'
import type { CloseCode } from '../transport/statuses.ts'

/** "Try again later": too slow, or too many. */
const TRY_AGAIN_LATER = 1013 satisfies CloseCode
const GOING_AWAY = 1001 satisfies CloseCode
/** Milliseconds that a closed client has to read the reason; then its unsent bytes are dropped. */
const DROP_TIMEOUT_MS = 5_000
/** Maximum bytes written at once: the sender accounts for the time of copying them to the kernel. */
const LARGE_WRITE = 64 * 1024

/** The connection of a WebSocket, which coalesces writes while it is corked. */
export interface Corkable {
  cork(): void
  uncork(): void
  write(text: string, encoding: 'latin1', written: () => void): unknown
}

interface Deps {
  readonly socket: WebSocket
  readonly stream: Corkable
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
  /** Unsent bytes that the client may have. */
  readonly maxWaiting: () => number
  /** Called when the client is dropped, seconds before the connection ends if it does not read the close frame. */
  readonly onDropped?: () => void
}

/** A message for many clients: one object, so that it is in memory once and counts once. */
export interface SharedBytes {
  readonly bytes: Uint8Array
}

/**
 * Sends messages to one client, pings it, and closes it when it does not read. Messages of one step go out in one
 * write, which costs more than everything else about a small message.
 */
export class OutgoingSocket {
  readonly #deps: Deps
  /** Time until which writes are held; `undefined`: they are not held. */
  #heldUntil: 'step is over' | 'round is over' | undefined
  readonly #endHolding = () => {
    try {
      this.#uncork()
    } catch {
      // An error of one connection must not affect others in the same write.
      this.#deps.socket.terminate()
    }
  }

  constructor({ pingIntervalMs }: Pick<ServerLimits, 'pingIntervalMs'>, deps: Deps) {
    this.#deps = deps
    const { socket, monitor } = deps
    const stopPinging = keepAlive(socket, pingIntervalMs, () => monitor.dropped('silent'))
    // `ws` closes the socket after an error (bad frame, message too large) with a code.
    socket.on('error', () => undefined)
    socket.on('close', stopPinging)
  }

  /**
   * Sends a text message.
   *
   * @param message text, or bytes of UTF-8
   * @param writes coalesces responses that are sent in the step of their request
   */
  send(message: string | Uint8Array, writes?: CoalescedWrites): void {
    const { socket, budget } = this.#deps
    const bytes = Buffer.byteLength(message)
    if (!this.#canTake(bytes)) return
    const release = this.#withRoom(() => budget.take(bytes, socket.bufferedAmount))
    if (release === undefined) return
    const isFirst = this.#hold(writes === undefined ? 'step is over' : 'round is over')
    try {
      if (typeof message === 'string') socket.send(message, release)
      else socket.send(message, { binary: false }, release)
    } finally {
      if (isFirst) writes?.hold(this.#endHolding)
    }
    this.#uncorkLarge()
  }

  /**
   * Sends whole frames of text messages, at once unless writes are held in this step: the sender of notifications
   * accounts for the time of the write and yields in between.
   *
   * @param frames one character per byte
   */
  sendFrames(frames: string): void {
    if (!this.#canTake(frames.length)) return
    if (this.#heldUntil === 'round is over') this.#uncork()
    const { socket, stream, budget } = this.#deps
    const release = this.#withRoom(() => budget.take(frames.length, socket.bufferedAmount))
    if (release !== undefined) stream.write(frames, 'latin1', release)
  }

  /** Sends a text message of two fragments, of which only the first is specific to this client. */
  sendWithHead(head: string, rest: SharedBytes): void {
    const { bytes } = rest
    if (!this.#canTake(head.length + bytes.length)) return
    const release = this.#takeShared(rest)
    if (release === undefined) return
    const { socket } = this.#deps
    this.#hold('step is over')
    socket.send(head, { fin: false })
    socket.send(bytes, { fin: true }, release)
    this.#uncorkLarge()
  }

  /** Sends a message as a binary or a text frame. */
  sendShared(shared: SharedBytes, isBinary: boolean): void {
    if (this.#canTake(shared.bytes.length)) this.#sendShared(shared, isBinary)
  }

  /**
   * Sends the initial messages. They count as one, so that the client need not read the first before the last is sent.
   */
  sendFirst(messages: readonly SharedBytes[], isBinary: boolean): void {
    for (const message of messages) this.#sendShared(message, isBinary)
  }

  #sendShared(shared: SharedBytes, isBinary: boolean): void {
    const release = this.#takeShared(shared)
    if (release === undefined) return
    this.#hold('step is over')
    this.#deps.socket.send(shared.bytes, { binary: isBinary }, release)
    this.#uncorkLarge()
  }

  #takeShared(shared: SharedBytes): (() => void) | undefined {
    const { socket, budget } = this.#deps
    if (socket.readyState !== socket.OPEN) return undefined
    return this.#withRoom(() => budget.takeShared(shared, shared.bytes.length, socket.bufferedAmount))
  }

  /** Held writes do not count as bytes that the client has failed to read. */
  #withRoom(take: () => (() => void) | undefined): (() => void) | undefined {
    const release = take() ?? (this.#uncork() ? take() : undefined)
    if (release === undefined) this.drop('full', 'the node has too many unread answers')
    return release
  }

  /** A client without unsent bytes may always be sent one message of any size. */
  #canTake(bytes: number): boolean {
    const { socket, maxWaiting } = this.#deps
    if (socket.readyState !== socket.OPEN) return false
    const fits = () => socket.bufferedAmount === 0 || socket.bufferedAmount + bytes <= maxWaiting()
    if (fits() || (this.#uncork() && fits())) return true
    this.drop('slow', 'too slow: messages were not read')
    return false
  }

  /**
   * Holds writes until the given time. Writes that can go out earlier are not held longer.
   *
   * @returns whether nothing was held before
   */
  #hold(until: 'step is over' | 'round is over'): boolean {
    if (this.#heldUntil === 'round is over' && until === 'step is over') this.#uncork()
    if (this.#heldUntil !== undefined) return false
    this.#heldUntil = until
    this.#deps.stream.cork()
    if (until === 'step is over') process.nextTick(this.#endHolding)
    return true
  }

  #uncorkLarge(): void {
    if (this.#deps.socket.bufferedAmount >= LARGE_WRITE) this.#uncork()
  }

  /** @returns whether writes were held */
  #uncork(): boolean {
    if (this.#heldUntil === undefined) return false
    this.#heldUntil = undefined
    this.#deps.stream.uncork()
    return true
  }

  /** Nothing is sent after closing; the socket is terminated if it does not accept the close frame. */
  drop(why: SocketDropReason, reason: string): void {
    const { socket, monitor, onDropped } = this.#deps
    if (socket.readyState !== socket.OPEN) return
    monitor.dropped(why)
    socket.close(TRY_AGAIN_LATER, reason)
    onDropped?.()
    const timer = setTimeout(() => socket.terminate(), DROP_TIMEOUT_MS)
    socket.once('close', () => clearTimeout(timer))
  }

  goAway(): void {
    const { socket } = this.#deps
    // The close frame of the client must still be read.
    socket.resume()
    socket.close(GOING_AWAY, 'the node is shutting down')
  }
}

/** @returns a function that stops pinging */
function keepAlive(socket: WebSocket, interval: number, onSilence: () => void): () => void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    if (!isAlive) {
      onSilence()
      socket.terminate()
      return
    }
    isAlive = false
    socket.ping()
  }, interval)
  return () => clearInterval(timer)
}
