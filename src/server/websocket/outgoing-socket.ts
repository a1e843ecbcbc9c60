import type { WebSocket } from 'ws'
import type { CoalescedWrites } from '../coalesced-writes.ts'
import type { ServerLimits } from '../limits.ts'
import type { ServerMonitor, SocketDropReason } from '../monitor.ts'
import type { ResponseBudget } from '../response-budget.ts'
import type { CloseCode } from '../statuses.ts'

/** "Try again later": too slow, or one too many. */
const TRY_AGAIN_LATER = 1013 satisfies CloseCode
const GOING_AWAY = 1001 satisfies CloseCode
/** Milliseconds that a client which is cut off has to read why; then what waits for it is thrown away. */
const DROP_TIMEOUT = 5_000
/** Bytes that are not held back for more: copying them to the system is work of its own, for whoever sends them to count. */
const LARGE_WRITE = 64 * 1024

/** The connection under a WebSocket, which writes together what it is given between the two. */
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
  /** Bytes that may wait for the client now. */
  readonly maxWaiting: () => number
}

/** Bytes that many clients are told: one object, so that they are in memory once and count once. */
export interface SharedBytes {
  readonly bytes: Uint8Array
}

/**
 * What one client is sent: it is pinged, and cut off when it does not read. Messages that it is sent in one step go out in
 * one write, which costs more than all else about a small message.
 */
export class OutgoingSocket {
  readonly #deps: Deps
  /** What is held until when; `undefined`: nothing. */
  #heldUntil: 'step is over' | 'round is over' | undefined
  readonly #endHolding = () => {
    try {
      this.#uncork()
    } catch {
      // Nothing may come between answers that are written together.
      this.#deps.socket.terminate()
    }
  }

  constructor({ pingInterval }: Pick<ServerLimits, 'pingInterval'>, deps: Deps) {
    this.#deps = deps
    const { socket, monitor } = deps
    const stopPinging = keepAlive(socket, pingInterval, () => monitor.dropped('silent'))
    // `ws` closes the socket after an error (bad frame, message too large) with the code that says why.
    socket.on('error', () => undefined)
    socket.on('close', stopPinging)
  }

  /** @param writes those that it may be written together with: of answers that are given as soon as they were asked for */
  send(text: string, writes?: CoalescedWrites): void {
    const { socket, budget } = this.#deps
    const bytes = Buffer.byteLength(text)
    if (!this.#canTake(bytes)) return
    const release = this.#withRoom(() => budget.take(bytes, socket.bufferedAmount))
    if (release === undefined) return
    const isFirst = this.#hold(writes === undefined ? 'step is over' : 'round is over')
    try {
      socket.send(text, release)
    } finally {
      if (isFirst) writes?.hold(this.#endHolding)
    }
    this.#uncorkLarge()
  }

  /**
   * Whole frames of text messages. They go out at once unless something is held back in this step: whoever tells many clients counts the
   * time of the write too, and lets others have a turn in between.
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

  /** A text message of two fragments, of which only the first is this client's own. */
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

  /** A message as a binary frame, or as text. */
  sendShared(shared: SharedBytes, isBinary: boolean): void {
    if (this.#canTake(shared.bytes.length)) this.#sendShared(shared, isBinary)
  }

  /** Messages with which a client begins: they count as one, so that it need not have read the first for the last. */
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

  /** What only waits to be written together with more is not what the client did not read. */
  #withRoom(take: () => (() => void) | undefined): (() => void) | undefined {
    const release = take() ?? (this.#uncork() ? take() : undefined)
    if (release === undefined) this.drop('full', 'the node has too many unread answers')
    return release
  }

  /** Whoever reads has nothing waiting: one message of any size may always go. */
  #canTake(bytes: number): boolean {
    const { socket, maxWaiting } = this.#deps
    if (socket.readyState !== socket.OPEN) return false
    const fits = () => socket.bufferedAmount === 0 || socket.bufferedAmount + bytes <= maxWaiting()
    if (fits() || (this.#uncork() && fits())) return true
    this.drop('slow', 'too slow: messages were not read')
    return false
  }

  /**
   * Holds what is written from now on, with what is held already; but nothing waits for a round that need not.
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

  /** @returns whether anything was held */
  #uncork(): boolean {
    if (this.#heldUntil === undefined) return false
    this.#heldUntil = undefined
    this.#deps.stream.uncork()
    return true
  }

  /** Nothing more is sent once it is closing, and `ws` ends it if it does not even take the close frame. */
  drop(why: SocketDropReason, reason: string): void {
    const { socket, monitor } = this.#deps
    if (socket.readyState !== socket.OPEN) return
    monitor.dropped(why)
    socket.close(TRY_AGAIN_LATER, reason)
    const timer = setTimeout(() => socket.terminate(), DROP_TIMEOUT)
    socket.once('close', () => clearTimeout(timer))
  }

  goAway(): void {
    const { socket } = this.#deps
    // The client's answer to the closing has to be read.
    socket.resume()
    socket.close(GOING_AWAY, 'the node is shutting down')
  }
}

/** @returns what ends it */
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
