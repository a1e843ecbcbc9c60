import type { RawData, WebSocket } from 'ws'
import type { ConnectedClient } from '../rpc/create-rpc.ts'
import type { SharedText } from '../rpc/subscriptions/shared-text.ts'
import type { AnswerBudget } from './answer-budget.ts'
import type { ServerLog } from './http/http-service.ts'
import type { ServerLimits } from './limits.ts'
import type { DropReason, ServerMonitor } from './monitor.ts'
import type { CloseCode } from './statuses.ts'

/** "Try again later": too slow, or one too many. */
const TRY_AGAIN_LATER = 1013 satisfies CloseCode
/** Milliseconds that a client which is cut off has to read why; then what waits for it is thrown away. */
const DROP_TIMEOUT = 5_000
/** Characters below which a copy for each costs less than a second frame. */
const SMALL_MESSAGE = 4_096
const GOING_AWAY = 1001 satisfies CloseCode

/** JSON-RPC as WebSockets need it. */
export interface SocketRpc {
  connect(
    send: (text: string) => void,
    listeners: {
      /** Takes a notification in two parts, the second the same object for all who are told the same. */
      readonly sendShared: (head: string, rest: SharedText) => void
      /** More messages wait behind an answer than may. */
      readonly onOverflow: () => void
      /** How many of its requests only wait for a block. */
      readonly onWaiting: (waiting: number) => void
    },
    client: ConnectedClient,
  ): { receive(text: string): Promise<void>; close(): void }
}

interface Parts {
  readonly socket: WebSocket
  readonly rpc: SocketRpc
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: AnswerBudget
  /** How many there are. */
  readonly openSockets: () => number
  readonly client: ConnectedClient
}

/** One client's WebSocket: what it sends is answered, as much at once and as much unread as the limits allow. */
export class ServedSocket {
  readonly #limits: ServerLimits
  readonly #parts: Parts
  readonly #requests = new Set<Promise<void>>()
  #waiting = 0
  #isFinishing = false

  constructor(limits: ServerLimits, parts: Parts) {
    this.#limits = limits
    this.#parts = parts
    const { socket, rpc, client, monitor } = parts
    const listeners = {
      sendShared: (head: string, rest: SharedText) => this.#sendShared(head, rest),
      onOverflow: () => this.#drop('slow', 'too slow: messages wait for an answer'),
      onWaiting: (waiting: number) => {
        this.#waiting = waiting
        this.#readOn()
      },
    }
    const connection = rpc.connect((text) => this.#send(text), listeners, client)
    const stopPinging = keepAlive(socket, limits.pingInterval, () => monitor.dropped('silent'))
    socket.on('message', (data: RawData) => {
      if (!this.#isFinishing) this.#work(connection.receive(data.toString()))
    })
    // `ws` closes the socket after an error (bad frame, message too large) with the code that says why.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      stopPinging()
      connection.close()
    })
  }

  /** Reads no more. Resolves when what was read is answered. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    this.#parts.socket.pause()
    await Promise.all(this.#requests)
  }

  goAway(): void {
    const { socket } = this.#parts
    // The client's answer to the closing has to be read.
    socket.resume()
    socket.close(GOING_AWAY, 'the node is shutting down')
  }

  #work(answering: Promise<void>): void {
    const request = answering
      .catch((error: unknown) => {
        const { log, client } = this.#parts
        log.error({ err: error, requestId: client.id }, 'a WebSocket request failed unexpectedly')
      })
      .finally(() => {
        this.#requests.delete(request)
        this.#readOn()
      })
    this.#requests.add(request)
    this.#readOn()
  }

  /** Requests that only wait for a block must not keep the others out. */
  #readOn(): void {
    if (this.#isFinishing) return
    const { socket } = this.#parts
    const isBusy = this.#requests.size - this.#waiting >= this.#limits.maxInFlight
    if (isBusy && !socket.isPaused) socket.pause()
    else if (!isBusy && socket.isPaused) socket.resume()
  }

  /** As two fragments, so that all sockets have the same bytes waiting and not a copy each. */
  #sendShared(head: string, rest: SharedText): void {
    if (rest.text.length < SMALL_MESSAGE) {
      this.#send(`${head}${rest.text}`)
      return
    }
    const { socket, budget } = this.#parts
    if (!this.#canTake(head.length + rest.bytes.length)) return
    const giveBack = budget.takeShared(rest, rest.bytes.length, socket.bufferedAmount)
    if (giveBack === undefined) {
      this.#drop('full', 'the node has too many unread answers')
      return
    }
    socket.send(head, { fin: false })
    socket.send(rest.bytes, { fin: true }, giveBack)
  }

  /** A client that does not read must not fill the node's memory. */
  #send(text: string): void {
    const { socket, budget } = this.#parts
    const bytes = Buffer.byteLength(text)
    if (!this.#canTake(bytes)) return
    const giveBack = budget.take(bytes, socket.bufferedAmount)
    if (giveBack === undefined) this.#drop('full', 'the node has too many unread answers')
    else socket.send(text, giveBack)
  }

  /** Whoever reads has nothing waiting: one message of any size may always go. */
  #canTake(bytes: number): boolean {
    const { socket, budget, openSockets } = this.#parts
    if (socket.readyState !== socket.OPEN) return false
    const waiting = socket.bufferedAmount
    const limit = Math.min(this.#limits.maxQueuedBytes, budget.shareOf(openSockets()))
    if (waiting === 0 || waiting + bytes <= limit) return true
    this.#drop('slow', 'too slow: messages were not read')
    return false
  }

  /** Nothing more is sent once it is closing, and `ws` ends it if it does not even take the close frame. */
  #drop(why: DropReason, reason: string): void {
    const { socket, monitor } = this.#parts
    if (socket.readyState !== socket.OPEN) return
    monitor.dropped(why)
    socket.close(TRY_AGAIN_LATER, reason)
    const timer = setTimeout(() => socket.terminate(), DROP_TIMEOUT)
    socket.once('close', () => clearTimeout(timer))
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
