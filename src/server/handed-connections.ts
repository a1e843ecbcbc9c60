import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Connections that another process accepted and the HTTP server of this one serves. Counted here, since the server did
 * not accept them.
 */
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

  /** Starts Node's connection timeouts. */
  begin(): void {
    this.#server.emit('listening')
  }

  /** Open connections. */
  get size(): number {
    return this.#sockets.size
  }

  /** Treats a connection as one that Node's server accepted. */
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
    // A client may half-close and still read.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    this.#server.emit('connection', socket)
  }

  /** Accepts no more. Resolves when all have closed. */
  close(): Promise<void> {
    this.#isClosed = true
    if (this.#sockets.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onDrained = resolve
    })
  }
}
