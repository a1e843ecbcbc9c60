import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Clock } from '../../node/core/clock.ts'

const SECOND = 1_000

export interface SharedPortOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Connections that wait for somebody who takes them; one more is closed. */
  readonly maxWaiting: number
  /** Milliseconds after which those that nobody has taken are closed. */
  readonly waitLimit: number
}

export interface SharedPortDeps<Taker> {
  readonly clock: Pick<Clock, 'monotonic' | 'at'>
  /** Hands over a copy of a socket that nothing was read from; `taken` is to be called when it has come. */
  readonly give: (taker: Taker, socket: Socket) => void
  /** So many connections were closed that had waited for too long. */
  readonly onLate: (count: number) => void
}

interface WaitingConnection {
  readonly socket: Socket
  readonly until: number
}

/**
 * Listens, and gives each connection to the next of those who take any: one at a time, so that who is busy is given fewer.
 * That of `node:cluster` keeps a connection open for ever that was on its way to a process which died.
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

  /** It takes connections from now on. */
  join(taker: Taker): void {
    this.#takers.add(taker)
    this.taken(taker)
  }

  /** It may be given another one. */
  taken(taker: Taker): void {
    this.#forget(taker)
    if (!this.#takers.has(taker) || this.#free.includes(taker)) return
    this.#free.push(taker)
    this.#distribute()
  }

  /** It is gone, and what was on its way to it. */
  leave(taker: Taker): void {
    this.#forget(taker)
    this.#takers.delete(taker)
    this.#free = this.#free.filter((free) => free !== taker)
  }

  /** Takes no more; what nobody has taken is closed. */
  close(): void {
    this.#server.close()
    this.#endAlarm?.()
    for (const { socket } of this.#waiting) socket.destroy()
    this.#waiting = []
    this.#takers.clear()
    this.#free = []
  }

  #accept(socket: Socket): void {
    // Who is gone before anybody serves it is nobody's problem.
    socket.on('error', () => socket.destroy())
    if (this.#waiting.length >= this.#options.maxWaiting) {
      socket.destroy()
      return
    }
    this.#waiting.push({ socket, until: this.#deps.clock.monotonic() + this.#options.waitLimit })
    this.#distribute()
    this.#setAlarm()
  }

  /** All that are late in the same second are closed, and told of, together. */
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

  /** The connection stays open for whoever has it. */
  #forget(taker: Taker): void {
    this.#given.get(taker)?.destroy()
    this.#given.delete(taker)
  }
}
