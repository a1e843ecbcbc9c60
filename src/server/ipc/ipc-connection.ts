import type { Socket } from 'node:net'
import type { ConnectedClient } from '../../rpc/create-rpc.ts'
import type { NotificationGroup } from '../../rpc/subscriptions/shared-texts.ts'
import type { ServerLog } from '../http/exchange.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ServerMonitor, SocketDropReason } from '../transport/monitor.ts'
import type { RequestBudget, RequestCharge } from '../transport/request-budget.ts'
import { isKeepingUp, type ResponseBudget } from '../transport/response-budget.ts'
import type { SocketRpc } from '../websocket/served-socket.ts'
import { JsonSplitter } from './json-splitter.ts'

const NEWLINE = Buffer.from('\n')

interface Deps {
  readonly socket: Socket
  readonly rpc: SocketRpc
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
  readonly requests: RequestBudget
  /** Number of open connections. */
  readonly openConnections: () => number
  readonly client: ConnectedClient
}

/** JSON-RPC with one client of the IPC endpoint, within the limits of a WebSocket. Each message ends with a newline. */
export class IpcConnection {
  readonly #limits: ServerLimits
  readonly #deps: Deps
  readonly #splitter = new JsonSplitter()
  readonly #connection: ReturnType<SocketRpc['connect']>
  /** Texts that wait for a request in flight to be answered. */
  #queue: string[] = []
  readonly #requests = new Set<Promise<void>>()
  #waiting = 0
  /** The incomplete text. */
  #charge: RequestCharge | undefined
  #deadline: NodeJS.Timeout | undefined
  #isHeld = false
  #isFinishing = false

  constructor(limits: ServerLimits, deps: Deps) {
    this.#limits = limits
    this.#deps = deps
    const { socket, rpc, client, budget } = deps
    const listeners = {
      sendShared: (head: string, { texts }: NotificationGroup) => {
        this.#write(texts.map(({ text }) => `${head}${text}\n`).join(''))
      },
      sendBytes: (response: Uint8Array) => this.#write(Buffer.concat([response, NEWLINE])),
      onOverflow: () => this.drop('slow'),
      onWaiting: (waiting: number) => {
        this.#waiting = waiting
        this.#work()
      },
      isReading: () => isKeepingUp(socket.writableLength),
      hasRoom: () => budget.hasRoom(socket.writableLength),
      isPrivate: true,
    }
    this.#connection = rpc.connect((text) => this.#write(`${text}\n`), listeners, client)
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('end', () => this.#endAfterResponses())
    // `close` follows.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#endCharge()
      this.#connection.close()
    })
  }

  /** Stops reading. Resolves when all requests that were read are answered. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    this.#queue = []
    this.#deps.socket.pause()
    await Promise.all(this.#requests)
  }

  /** Sends what is queued, then closes. */
  goAway(): void {
    const { socket } = this.#deps
    socket.end(() => socket.destroy())
  }

  drop(reason: SocketDropReason): void {
    const { socket, monitor } = this.#deps
    if (socket.destroyed) return
    monitor.dropped(reason)
    socket.destroy()
  }

  #read(chunk: Buffer): void {
    const texts = this.#splitter.push(chunk)
    this.#queue.push(...texts)
    if (texts.length > 0) this.#endCharge()
    const { size } = this.#splitter
    if (size > this.#limits.maxBodyBytes) {
      this.drop('full')
      return
    }
    if (size > 0) this.#meter(size)
    this.#work()
  }

  /** Counts the incomplete text, and reads on when there is room for more. */
  #meter(size: number): void {
    const { requests, socket } = this.#deps
    this.#charge ??= requests.begin({
      onRoom: () => {
        this.#isHeld = false
        this.#awaitRest()
        this.#work()
      },
      onRefused: () => this.drop('full'),
    })
    this.#awaitRest()
    if (this.#charge.update(size)) return
    clearTimeout(this.#deadline)
    this.#isHeld = true
    socket.pause()
  }

  #awaitRest(): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.drop('slow'), this.#limits.requestTimeoutMs).unref()
  }

  #endCharge(): void {
    clearTimeout(this.#deadline)
    this.#charge?.end()
    this.#charge = undefined
    this.#isHeld = false
  }

  /** Starts queued requests while there may be more in flight, and reads on when none is left. */
  #work(): void {
    const { socket } = this.#deps
    if (this.#isFinishing || socket.destroyed) return
    while (this.#queue.length > 0 && !this.#isBusy()) this.#receive(this.#queue.shift()!)
    if (this.#queue.length > 0 || this.#isBusy() || this.#isHeld) socket.pause()
    else socket.resume()
  }

  /** Requests that wait for inclusion do not count as requests in flight. */
  #isBusy(): boolean {
    const size = this.#requests.size - this.#waiting
    return size >= this.#limits.maxInFlight || (size > 0 && !this.#deps.requests.hasRoom())
  }

  #receive(text: string): void {
    try {
      const answering = this.#connection.receive(text)
      if (answering instanceof Promise) this.#await(text.length, answering)
    } catch (error) {
      this.#logFailure(error)
    }
  }

  #await(bytes: number, answering: Promise<void>): void {
    const release = this.#deps.requests.take(bytes)
    const request = answering
      .catch((error: unknown) => this.#logFailure(error))
      .finally(() => {
        release()
        this.#requests.delete(request)
        this.#work()
      })
    this.#requests.add(request)
  }

  /** The client has sent all of its requests and may still read. */
  async #endAfterResponses(): Promise<void> {
    // Queued requests start when others are answered.
    while (this.#requests.size > 0) await Promise.all(this.#requests)
    this.#deps.socket.end()
  }

  #write(data: string | Buffer): void {
    const { socket, budget, openConnections } = this.#deps
    if (!socket.writable) return
    const bytes = Buffer.byteLength(data)
    const unread = socket.writableLength
    const share = Math.min(this.#limits.maxQueuedBytes, budget.shareOf(openConnections()))
    const isSlow = unread > 0 && unread + bytes > share
    const release = isSlow ? undefined : budget.take(bytes, unread)
    if (release === undefined) this.drop(isSlow ? 'slow' : 'full')
    else socket.write(data, release)
  }

  #logFailure(error: unknown): void {
    this.#deps.log.error({ err: error, requestId: this.#deps.client.id }, 'an IPC request failed unexpectedly')
  }
}
