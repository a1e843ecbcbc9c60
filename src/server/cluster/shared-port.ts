import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Clock } from '../../node/core/clock.ts'

const SECOND = 1_000

export interface SharedPortOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Connections that may wait for a worker; further ones are closed. */
  readonly maxWaiting: number
  /** Milliseconds after which waiting connections are closed. */
  readonly waitLimit: number
}

export interface SharedPortDeps<Taker> {
  readonly clock: Pick<Clock, 'monotonic' | 'at'>
  /** Sends an unread socket to a worker; `taken` has to be called when it has arrived. */
  readonly give: (taker: Taker, socket: Socket) => void
  /** Called with the number of connections closed by timeout. */
  readonly onLate: (count: number) => void
}

interface WaitingConnection {
  readonly socket: Socket
  readonly until: number
}

/**
 * Accepts connections and gives each to the next free worker: one at a time, so that busy workers get fewer. The
 * distribution of `node:cluster` leaks connections in transit to a process that dies.
 */
export class SharedPort<Taker> {
  readonly #options: SharedPortOptions
  readonly #deps: SharedPortDeps<Taker>
  readonly #server: Server
  /** Who has been waiting longest comes first. */
  #free: Taker[] = []
  readonly #takers = new Set<Taker>()
  /** What was given and has not come. */
  readonly #given = new Map<Taker, Socket>()
  /** The oldest first. */
  #waiting: WaitingConnection[] = []
  #endAlarm: (() => void) | undefined

  constructor(options: SharedPortOptions, deps: SharedPortDeps<Taker>) {
    this.#options = options
    this.#deps = deps
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => this.#accept(socket))
  }

  /**
   * @returns the port
   * @throws the error of `listen`, as EADDRINUSE
   */
  async listen(): Promise<number> {
    const { host, port } = this.#options
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    // One connection that could not be accepted is no reason to end.
    this.#server.on('error', () => undefined)
    return (this.#server.address() as AddressInfo).port
  }

  /** Adds a worker. */
  join(taker: Taker): void {
    this.#takers.add(taker)
    this.taken(taker)
  }

  /** The worker has received its connection and may be given the next. */
  taken(taker: Taker): void {
    this.#forget(taker)
    if (!this.#takers.has(taker) || this.#free.includes(taker)) return
    this.#free.push(taker)
    this.#distribute()
  }

  /** Removes a worker and drops the connection in transit to it. */
  leave(taker: Taker): void {
    this.#forget(taker)
    this.#takers.delete(taker)
    this.#free = this.#free.filter((free) => free !== taker)
  }

  /** Stops accepting and closes waiting connections. */
  close(): void {
    this.#server.close()
    this.#endAlarm?.()
    for (const { socket } of this.#waiting) socket.destroy()
    this.#waiting = []
    this.#takers.clear()
    this.#free = []
  }

  #accept(socket: Socket): void {
    // Connections that fail before they are served are dropped.
    socket.on('error', () => socket.destroy())
    if (this.#waiting.length >= this.#options.maxWaiting) {
      socket.destroy()
      return
    }
    this.#waiting.push({ socket, until: this.#deps.clock.monotonic() + this.#options.waitLimit })
    this.#distribute()
    this.#setAlarm()
  }

  /** One timer closes and reports all timeouts of the same second. */
  #setAlarm(): void {
    const [oldest] = this.#waiting
    if (oldest === undefined || this.#endAlarm !== undefined) return
    const instant = Math.ceil(oldest.until / SECOND) * SECOND
    this.#endAlarm = this.#deps.clock.at(instant, () => {
      this.#endAlarm = undefined
      this.#closeLate()
      this.#setAlarm()
    })
  }

  #closeLate(): void {
    const now = this.#deps.clock.monotonic()
    const late = this.#waiting.filter(({ until }) => until <= now)
    this.#waiting = this.#waiting.slice(late.length)
    const count = late.filter(({ socket }) => !socket.destroyed).length
    for (const { socket } of late) socket.destroy()
    if (count > 0) this.#deps.onLate(count)
  }

  #distribute(): void {
    while (this.#waiting.length > 0 && this.#free.length > 0) {
      const { socket } = this.#waiting.shift()!
      if (socket.destroyed) continue
      const taker = this.#free.shift()!
      this.#given.set(taker, socket)
      this.#deps.give(taker, socket)
    }
  }

  /** Closes the local handle; the worker has its own. */
  #forget(taker: Taker): void {
    this.#given.get(taker)?.destroy()
    this.#given.delete(taker)
  }
}
