import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { CoalescedWrites } from '../coalesced-writes.ts'
import type { ServerLimits } from '../limits.ts'
import type { ChargeCost } from '../rate-limiter.ts'
import { FastPathConnection } from './fast-path-connection.ts'
import type { HttpService, ServerLog } from './http-service.ts'

interface Options {
  readonly limits: ServerLimits
  /** Milliseconds between looks at the time that connections take. */
  readonly checkInterval: number
  /** Whether requests are read here at all. */
  readonly isUsed: boolean
}

interface Deps {
  readonly server: Server
  readonly writes: CoalescedWrites
  readonly service: HttpService
  readonly chargeOf: (address: string | undefined) => ChargeCost
  readonly log: ServerLog
}

/**
 * Stands before Node's own HTTP server and reads what is plain by itself, which takes a fifth of the time. The connections
 * stay those of the server: it listens, counts and bounds them.
 */
export class FastPathListener {
  readonly #options: Options
  readonly #deps: Deps
  readonly #connections = new Set<FastPathConnection>()
  /** What Node's own server does with a connection. */
  readonly #serve: (socket: Socket) => void

  constructor(options: Options, deps: Deps) {
    this.#options = options
    this.#deps = deps
    const { server } = deps
    const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
    this.#serve = (socket) => {
      for (const listener of listeners) listener.call(server, socket)
    }
    if (options.isUsed) {
      server.removeAllListeners('connection')
      server.on('connection', (socket) => this.#connect(socket))
    }
    const timer = setInterval(() => this.#checkTimeouts(), options.checkInterval)
    timer.unref()
    server.once('close', () => clearInterval(timer))
  }

  /** Every connection ends with the answers that are under way, idle ones now. */
  endConnections(): void {
    for (const connection of this.#connections) connection.end()
  }

  destroyConnections(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  #connect(socket: Socket): void {
    const { writes, service, chargeOf, log } = this.#deps
    const forget = () => this.#connections.delete(connection)
    const handOver = () => {
      forget()
      socket.off('close', forget)
      this.#serve(socket)
    }
    const charge = chargeOf(socket.remoteAddress)
    const connection = new FastPathConnection(this.#options.limits, { socket, writes, service, charge, log, handOver })
    this.#connections.add(connection)
    socket.on('close', forget)
  }

  #checkTimeouts(): void {
    const now = performance.now()
    for (const connection of this.#connections) connection.checkTimeouts(now)
  }
}
