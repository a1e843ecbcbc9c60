import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { BodyStreams } from '../transport/body-streams.ts'
import type { CoalescedWrites } from '../transport/coalesced-writes.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { RequestBudget } from '../transport/request-budget.ts'
import type { ClientResolver } from './client-resolver.ts'
import type { ServerLog } from './exchange.ts'
import { HttpConnection } from './http-connection.ts'
import type { HttpService, Upgrades } from './http-service.ts'

/** Milliseconds between checks of connection timeouts. */
const CHECK_INTERVAL_MS = 1_000

interface Deps {
  readonly writes: CoalescedWrites
  readonly service: HttpService
  readonly upgrades: Upgrades
  readonly streams: Pick<BodyStreams, 'serve'>
  readonly requests: RequestBudget
  readonly clients: ClientResolver
  readonly log: ServerLog
}

/** Accepts connections, counts and limits them, and serves HTTP on each. */
export class HttpListener {
  readonly #limits: ServerLimits
  readonly #deps: Deps
  readonly #server: Server
  /** All open connections, WebSockets included. */
  readonly #sockets = new Set<Socket>()
  /** Those that serve HTTP. */
  readonly #connections = new Set<HttpConnection>()
  readonly #timer: NodeJS.Timeout
  #isClosed = false
  #onDrained: () => void = () => undefined

  constructor(limits: ServerLimits, deps: Deps) {
    this.#limits = limits
    this.#deps = deps
    // A client may half-close and still read.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#connect(socket))
    this.#timer = setInterval(() => this.#checkTimeouts(), CHECK_INTERVAL_MS)
    this.#timer.unref()
  }

  /** Open connections, WebSockets included. */
  get size(): number {
    return this.#sockets.size
  }

  /**
   * @param options.port 0: any free one
   * @returns the port
   * @throws the error of `listen`, such as EADDRINUSE
   */
  listen({ port, host }: { readonly port: number; readonly host: string }): Promise<number> {
    const { log } = this.#deps
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => {
        clearInterval(this.#timer)
        reject(error)
      })
      this.#server.listen(port, host, () => {
        this.#server.removeAllListeners('error')
        this.#server.on('error', (error) => log.error({ err: error }, 'a connection could not be accepted'))
        resolve((this.#server.address() as AddressInfo).port)
      })
    })
  }

  /** Serves a connection that another process accepted. */
  adopt(socket: Socket): void {
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    this.#connect(socket)
  }

  /** Accepts no more. Resolves when all connections have closed. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#server.close()
    return new Promise((resolve) => {
      this.#onDrained = () => {
        clearInterval(this.#timer)
        resolve()
      }
      if (this.#sockets.size === 0) this.#onDrained()
    })
  }

  /** Closes each HTTP connection after its responses in flight, idle ones now. */
  endConnections(): void {
    for (const connection of this.#connections) connection.end()
  }

  /** Closes each HTTP connection now. */
  destroyConnections(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  #connect(socket: Socket): void {
    // A TCP client that has disconnected already would look like one on a Unix socket, which has no addresses.
    const isGone = socket.remoteAddress === undefined && socket.localAddress !== undefined
    if (isGone || this.#isClosed || this.#sockets.size >= this.#limits.maxConnections) {
      socket.destroy()
      return
    }
    const onUpgraded = () => this.#connections.delete(connection)
    const connection: HttpConnection = new HttpConnection(this.#limits, { ...this.#deps, socket, onUpgraded })
    this.#sockets.add(socket)
    this.#connections.add(connection)
    socket.once('close', () => {
      this.#connections.delete(connection)
      this.#sockets.delete(socket)
      if (this.#isClosed && this.#sockets.size === 0) this.#onDrained()
    })
  }

  #checkTimeouts(): void {
    const now = performance.now()
    for (const connection of this.#connections) connection.checkTimeouts(now)
    this.#deps.requests.check()
  }
}
