import type { RawData, WebSocket } from 'ws'
import type { ConnectedClient } from '../../rpc/create-rpc.ts'
import type { NotificationGroup } from '../../rpc/subscriptions/shared-texts.ts'
import type { ServerLog } from '../http/exchange.ts'
import type { CoalescedWrites } from '../transport/coalesced-writes.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import type { RequestBudget } from '../transport/request-budget.ts'
import { isKeepingUp, type ResponseBudget } from '../transport/response-budget.ts'
import { type Corkable, OutgoingSocket } from './outgoing-socket.ts'
import { textFrames } from './text-frames.ts'

/** JSON-RPC over WebSocket. */
export interface SocketRpc {
  connect(
    send: (text: string) => void,
    listeners: {
      /** Sends notifications. Each has its own head, followed by text shared by all subscribers. */
      readonly sendShared: (head: string, shared: NotificationGroup) => void
      /** Sends a large response, in UTF-8. */
      readonly sendBytes: (response: Uint8Array) => void
      /** Called when too many notifications wait for a response. */
      readonly onOverflow: () => void
      /** Called with the number of requests that wait for inclusion. */
      readonly onWaiting: (waiting: number) => void
      readonly isReading: () => boolean
      readonly hasRoom: () => boolean
      readonly isPrivate?: boolean
    },
    client: ConnectedClient,
  ): { receive(text: string): void | Promise<void>; close(): void }
}

interface Deps {
  readonly socket: WebSocket
  readonly stream: Corkable
  readonly rpc: SocketRpc
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
  readonly writes: CoalescedWrites
  /** Counts requests until they are answered. */
  readonly requests: RequestBudget
  /** Number of open sockets. */
  readonly openSockets: () => number
  readonly client: ConnectedClient
}

/** Serves the WebSocket of one client within the limits of requests in flight and unsent bytes. */
export class ServedSocket {
  readonly #limits: ServerLimits
  readonly #deps: Deps
  readonly #outgoing: OutgoingSocket
  readonly #requests = new Set<Promise<void>>()
  /** Whether a request is being processed: a message sent now is its response. */
  #isReading = false
  #waiting = 0
  #isPaused = false
  #isFinishing = false
  #isDropped = false

  constructor(limits: ServerLimits, deps: Deps) {
    this.#limits = limits
    this.#deps = deps
    const { socket, rpc, client, budget, openSockets } = deps
    const maxWaiting = () => Math.min(limits.maxQueuedBytes, budget.shareOf(openSockets()))
    // Requests of a dropped client must not use time until its connection ends.
    const onDropped = () => {
      this.#isDropped = true
      connection.close()
    }
    this.#outgoing = new OutgoingSocket(limits, { ...deps, maxWaiting, onDropped })
    const listeners = {
      sendShared: (head: string, shared: NotificationGroup) => this.#sendShared(head, shared),
      sendBytes: (response: Uint8Array) => send(response),
      onOverflow: () => this.#outgoing.drop('slow', 'too slow: messages wait for an answer'),
      onWaiting: (waiting: number) => {
        this.#waiting = waiting
        this.#readOn()
      },
      isReading: () => isKeepingUp(socket.bufferedAmount),
      hasRoom: () => budget.hasRoom(socket.bufferedAmount),
    }
    const { writes } = deps
    const send = (message: string | Uint8Array) => this.#outgoing.send(message, this.#isReading ? writes : undefined)
    const connection = rpc.connect(send, listeners, client)
    socket.on('message', (data: RawData) => {
      if (this.#isFinishing || this.#isDropped) return
      const text = data.toString()
      this.#receive(text.length, () => connection.receive(text))
    })
    socket.on('close', () => connection.close())
  }

  /** Stops reading. Resolves when all requests that were read are answered. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    this.#deps.socket.pause()
    await Promise.all(this.#requests)
  }

  goAway(): void {
    this.#outgoing.goAway()
  }

  #receive(bytes: number, response: () => void | Promise<void>): void {
    this.#deps.writes.writeOverdue()
    this.#isReading = true
    try {
      const answering = response()
      if (answering instanceof Promise) this.#workOn(bytes, answering)
    } catch (error) {
      this.#sendFailure(error)
    } finally {
      this.#isReading = false
    }
  }

  #workOn(bytes: number, answering: Promise<void>): void {
    const release = this.#deps.requests.take(bytes)
    const request = answering
      .catch((error: unknown) => this.#sendFailure(error))
      .finally(() => {
        release()
        this.#requests.delete(request)
        this.#readOn()
      })
    this.#requests.add(request)
    this.#readOn()
  }

  #sendFailure(error: unknown): void {
    const { log, client } = this.#deps
    log.error({ err: error, requestId: client.id }, 'a WebSocket request failed unexpectedly')
  }

  /** Requests that wait for inclusion do not count as requests in flight. */
  #readOn(): void {
    if (this.#isFinishing) return
    const { socket } = this.#deps
    const size = this.#requests.size - this.#waiting
    const isBusy = size >= this.#limits.maxInFlight || (size > 0 && !this.#deps.requests.hasRoom())
    if (isBusy === this.#isPaused) return
    this.#isPaused = isBusy
    if (isBusy) socket.pause()
    else socket.resume()
  }

  /** Sends large texts as two fragments, so that all sockets share the same bytes. */
  #sendShared(head: string, shared: NotificationGroup): void {
    const { large } = shared
    if (large !== undefined) this.#outgoing.sendWithHead(head, large)
    else this.#outgoing.sendFrames(textFrames(head, shared))
  }
}
