import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Connections that another process took and this one's HTTP server serves: counted here, since it did not accept them. */
export class AdoptedConnections {
  readonly #maxConnections: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isClosed = false
  #onDrained: () => void = () => undefined

  constructor({ maxConnections }: { readonly maxConnections: number }, { server }: { readonly server: Server }) {
    this.#maxConnections = maxConnections
    this.#server = server
  }

  /** Node watches the times that connections take from then on. */
  begin(): void {
    this.#server.emit('listening')
  }

  /** Open ones. */
  get size(): number {
    return this.#sockets.size
  }

  /** As Node's server does with a connection that it accepted. */
  take(socket: Socket): void {
    if (this.#isClosed || this.#sockets.size >= this.#maxConnections) {
      socket.destroy()
      return
    }
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (this.#sockets.size === 0) this.#onDrained()
    })
    // A client may say that it sends no more, and still read.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    this.#server.emit('connection', socket)
  }

  /** Takes no more. Settles when all have ended. */
  close(): Promise<void> {
    this.#isClosed = true
    if (this.#sockets.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onDrained = resolve
    })
  }
}
