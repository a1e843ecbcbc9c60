import type { RawData, WebSocket } from 'ws'
import type { AnswerBudget } from './answer-budget.ts'
import type { ServerLog } from './http.ts'
import type { ServerLimits } from './limits.ts'

/** "Try again later": too slow, or one too many. */
const TRY_AGAIN_LATER = 1013
const GOING_AWAY = 1001

/** JSON-RPC as WebSockets need it. */
export interface SocketRpc {
  connect(
    send: (text: string) => void,
    listeners: {
      /** More messages wait behind an answer than may. */
      readonly onOverflow: () => void
      /** How many of its requests only wait for a block. */
      readonly onWaiting: (waiting: number) => void
    },
  ): { receive(text: string): Promise<void>; close(): void }
}

interface Parts {
  readonly socket: WebSocket
  readonly rpc: SocketRpc
  readonly log: ServerLog
  readonly budget: AnswerBudget
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
    const { socket, rpc } = parts
    const connection = rpc.connect((text) => this.#send(text), {
      onOverflow: () => this.#tooSlow('messages wait for an answer'),
      onWaiting: (waiting) => {
        this.#waiting = waiting
        this.#readOn()
      },
    })
    const stopPinging = keepAlive(socket, limits.pingInterval)
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
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'a WebSocket request failed unexpectedly'))
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

  /** A client that does not read must not fill the node's memory. */
  #send(text: string): void {
    const { socket, budget } = this.#parts
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > this.#limits.maxQueuedBytes) {
      this.#tooSlow('messages were not read')
      return
    }
    const bytes = Buffer.byteLength(text)
    const giveBack = budget.take(bytes, socket.bufferedAmount)
    if (giveBack === undefined) socket.close(TRY_AGAIN_LATER, 'the node has too many unread answers')
    else socket.send(text, giveBack)
  }

  /** Nothing more is sent once it is closing, and `ws` ends it if it does not even take the close frame. */
  #tooSlow(reason: string): void {
    this.#parts.socket.close(TRY_AGAIN_LATER, `too slow: ${reason}`)
  }
}

/** @returns what ends it */
function keepAlive(socket: WebSocket, interval: number): () => void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, interval)
  return () => clearInterval(timer)
}
