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
  readonly waitLimitMs: number
}

export interface SharedPortDeps<WorkerHandle> {
  readonly clock: Pick<Clock, 'monotonic' | 'at'>
  /** Sends an unread socket to a worker; call `taken` when the worker has received it. */
  readonly give: (worker: WorkerHandle, socket: Socket) => void
  /** Called with the number of connections closed by timeout. */
  readonly onExpired: (count: number) => void
}

interface WaitingConnection {
  readonly socket: Socket
  readonly until: number
}

/**
 * Accepts connections and passes each to the next free worker. A worker receives one at a time, so that busy workers
 * get fewer. The distribution of `node:cluster` leaks connections in transit to a process that dies.
 */
export class SharedPort<WorkerHandle> {
  readonly #options: SharedPortOptions
  readonly #deps: SharedPortDeps<WorkerHandle>
  readonly #server: Server
  /** Idle workers, least recently used first. */
  #free: WorkerHandle[] = []
  readonly #workers = new Set<WorkerHandle>()
  /** Sockets sent to a worker, not yet received. */
  readonly #inTransit = new Map<WorkerHandle, Socket>()
  /** Connections without a worker, oldest first. */
  #waiting: WaitingConnection[] = []
  #endAlarm: (() => void) | undefined

  constructor(options: SharedPortOptions, deps: SharedPortDeps<WorkerHandle>) {
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
    // A failed accept must not stop the listener.
    this.#server.on('error', () => undefined)
    return (this.#server.address() as AddressInfo).port
  }

  /** Adds a worker. */
  join(worker: WorkerHandle): void {
    this.#workers.add(worker)
    this.adopted(worker)
  }

  /** Call when the worker has received its connection; it may then be given the next one. */
  adopted(worker: WorkerHandle): void {
    this.#forget(worker)
    if (!this.#workers.has(worker) || this.#free.includes(worker)) return
    this.#free.push(worker)
    this.#distribute()
  }

  /** Removes a worker and drops the connection in transit to it. */
  leave(worker: WorkerHandle): void {
    this.#forget(worker)
    this.#workers.delete(worker)
    this.#free = this.#free.filter((free) => free !== worker)
  }

  /** Stops accepting and closes waiting connections. */
  close(): void {
    this.#server.close()
    this.#endAlarm?.()
    for (const { socket } of this.#waiting) socket.destroy()
    this.#waiting = []
    this.#workers.clear()
    this.#free = []
  }

  #accept(socket: Socket): void {
    // Connections that fail before they are served are dropped.
    socket.on('error', () => socket.destroy())
    if (this.#waiting.length >= this.#options.maxWaiting) {
      socket.destroy()
      return
    }
    this.#waiting.push({ socket, until: this.#deps.clock.monotonic() + this.#options.waitLimitMs })
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
      this.#closeExpired()
      this.#setAlarm()
    })
  }

  #closeExpired(): void {
    const now = this.#deps.clock.monotonic()
    const expired = this.#waiting.filter(({ until }) => until <= now)
    this.#waiting = this.#waiting.slice(expired.length)
    const count = expired.filter(({ socket }) => !socket.destroyed).length
    for (const { socket } of expired) socket.destroy()
    if (count > 0) this.#deps.onExpired(count)
  }

  #distribute(): void {
    while (this.#waiting.length > 0 && this.#free.length > 0) {
      const { socket } = this.#waiting.shift()!
      if (socket.destroyed) continue
      const worker = this.#free.shift()!
      this.#inTransit.set(worker, socket)
      this.#deps.give(worker, socket)
    }
  }

  /** Closes the local handle; the worker has its own. */
  #forget(worker: WorkerHandle): void {
    this.#inTransit.get(worker)?.destroy()
    this.#inTransit.delete(worker)
  }
}
