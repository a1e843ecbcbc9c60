import { once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { ServerLog } from '../http/exchange.ts'
import type { ServerLimits } from '../transport/limits.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import { UNLIMITED } from '../transport/rate-limiter.ts'
import type { RequestBudget } from '../transport/request-budget.ts'
import type { ResponseBudget } from '../transport/response-budget.ts'
import type { SocketRpc } from '../websocket/served-socket.ts'
import { IpcConnection } from './ipc-connection.ts'

/** What clients of the endpoint have instead of an address: they share one place in the queue. */
const ADDRESS = 'ipc'

interface Deps {
  readonly rpc: SocketRpc
  readonly log: ServerLog
  readonly monitor: ServerMonitor
  readonly budget: ResponseBudget
  readonly requests: RequestBudget
  readonly requestId: (given: string | undefined) => string
}

/** The endpoint cannot be opened. */
class IpcPathError extends Error {
  override readonly name = 'IpcPathError'
  readonly code = 'IPC_PATH'

  constructor(path: string, reason: string) {
    super(`cannot listen on ${path}: ${reason}; choose another path with --ipc`)
  }
}

/** JSON-RPC over a Unix socket, or a named pipe of Windows, that only the user of the node may open. */
export class IpcListener {
  readonly #limits: ServerLimits
  readonly #deps: Deps
  readonly #path: string
  readonly #server: Server
  readonly #connections = new Map<Socket, IpcConnection>()

  private constructor({ path, limits }: { readonly path: string; readonly limits: ServerLimits }, deps: Deps) {
    this.#path = path
    this.#limits = limits
    this.#deps = deps
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket))
  }

  /**
   * Listens on a path. A socket that a killed process left there is replaced.
   *
   * @throws IpcPathError
   */
  static async open(
    options: { readonly path: string; readonly limits: ServerLimits },
    deps: Deps,
  ): Promise<IpcListener> {
    const listener = new IpcListener(options, deps)
    await listener.#listen()
    return listener
  }

  /** Open connections. */
  get size(): number {
    return this.#connections.size
  }

  /** Accepts no more connections. Resolves when all requests that were read are answered. */
  async finish(): Promise<void> {
    this.#server.close()
    await Promise.all(Array.from(this.#connections.values(), (connection) => connection.finish()))
  }

  /** Closes all connections after what was written to them. */
  close(): void {
    for (const connection of this.#connections.values()) connection.goAway()
  }

  terminate(): void {
    for (const socket of this.#connections.keys()) socket.destroy()
  }

  async #listen(): Promise<void> {
    const error = await this.#tryToListen()
    if (error?.code === 'EADDRINUSE') await this.#replaceStaleSocket()
    else if (error !== undefined) throw new IpcPathError(this.#path, error.message)
    // Pipes of Windows have no mode.
    if (process.platform !== 'win32') await chmod(this.#path, 0o600)
  }

  async #replaceStaleSocket(): Promise<void> {
    const found = await lstat(this.#path)
    if (!found.isSocket()) throw new IpcPathError(this.#path, 'there is another file')
    if (await isServed(this.#path)) throw new IpcPathError(this.#path, 'another process serves it')
    await unlink(this.#path)
    const error = await this.#tryToListen()
    if (error !== undefined) throw new IpcPathError(this.#path, error.message)
  }

  async #tryToListen(): Promise<NodeJS.ErrnoException | undefined> {
    try {
      this.#server.listen(this.#path)
      await once(this.#server, 'listening')
      return undefined
    } catch (error) {
      return error as NodeJS.ErrnoException
    }
  }

  #serve(socket: Socket): void {
    if (this.#connections.size >= this.#limits.maxSockets) {
      this.#deps.monitor.dropped('full')
      socket.destroy()
      return
    }
    const client = { id: this.#deps.requestId(undefined), address: ADDRESS, charge: UNLIMITED }
    const openConnections = () => this.#connections.size
    const connection = new IpcConnection(this.#limits, { ...this.#deps, socket, client, openConnections })
    this.#connections.set(socket, connection)
    socket.on('close', () => this.#connections.delete(socket))
  }
}

/** Whether a process accepts connections at a path. */
async function isServed(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
