import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { GatheredWrites } from '../coalesced-writes.ts'
import type { ServerLimits } from '../limits.ts'
import type { Charge } from '../rate-limiter.ts'
import { PlainConnection } from './fast-path-connection.ts'
import type { HttpService, ServerLog } from './http-service.ts'

interface Options {
  readonly limits: ServerLimits
  /** Milliseconds between looks at the time that connections take. */
  readonly checkInterval: number
  /** Whether requests are read here at all. */
  readonly isUsed: boolean
}

interface Parts {
  readonly server: Server
  readonly writes: GatheredWrites
  readonly service: HttpService
  readonly chargeOf: (address: string | undefined) => Charge
  readonly log: ServerLog
}

/**
 * Stands before Node's own HTTP server and reads what is plain by itself, which takes a fifth of the time. The connections
 * stay those of the server: it listens, counts and bounds them.
 */
export class PlainListener {
  readonly #options: Options
  readonly #parts: Parts
  readonly #connections = new Set<PlainConnection>()
  /** What Node's own server does with a connection. */
  readonly #serve: (socket: Socket) => void

  constructor(options: Options, parts: Parts) {
    this.#options = options
    this.#parts = parts
    const { server } = parts
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
    const { writes, service, chargeOf, log } = this.#parts
    const forget = () => this.#connections.delete(connection)
    const handOver = () => {
      forget()
      socket.off('close', forget)
      this.#serve(socket)
    }
    const charge = chargeOf(socket.remoteAddress)
    const connection = new PlainConnection(this.#options.limits, { socket, writes, service, charge, log, handOver })
    this.#connections.add(connection)
    socket.on('close', forget)
  }

  #checkTimeouts(): void {
    const now = performance.now()
    for (const connection of this.#connections) connection.checkTimeouts(now)
  }
}
