import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { type MaybePromise, recoverMaybe } from '../../primitives/maybe-promise.ts'
import type { HttpPeer, HttpResponse, ResolvedClient } from '../http/exchange.ts'
import type { HttpOptions, Upgrades } from '../http/http-service.ts'
import type { RequestHead } from '../http/request-head.ts'
import { isAllowedHost, isAllowedOrigin, isSameOrigin } from '../transport/host-guard.ts'
import type { ServerMonitor } from '../transport/monitor.ts'
import type { RequestBudget } from '../transport/request-budget.ts'
import type { TextSocketServer } from './direct-text-socket.ts'
import { handshakeRequest } from './handshake-request.ts'
import { meterMessages } from './metered-messages.ts'
import type { Acceptance, Refusal, SocketEndpoint, SocketSession, UpgradingConnection } from './socket-endpoint.ts'

type TakeConnection = (socket: Socket, following: Buffer) => void
type Serve = Extract<Acceptance, { kind: 'accepted' }>['serve']
type Servers = ReadonlyMap<string, TextSocketServer>

interface Deps {
  /** Endpoints by path. */
  readonly endpoints: ReadonlyMap<string, SocketEndpoint>
  readonly monitor: ServerMonitor
  readonly requests: RequestBudget
  readonly requestId: (given: string | string[] | undefined) => string
}

/** Cost of opening a WebSocket, in the unit of `Method.cost`. */
const UPGRADE_COST = 20
/** Milliseconds after a start at which `ws` is loaded if there was no WebSocket: it would delay the first response. */
const LOAD_AFTER_MS = 2_000

/** Upgrades HTTP connections to WebSockets and passes them to the endpoint of their path. */
export class WebSocketListener implements Upgrades {
  readonly #options: HttpOptions
  readonly #deps: Deps
  readonly #sessions = new Map<WebSocket, SocketSession>()
  readonly #loading: NodeJS.Timeout
  /** By the path of their endpoint. */
  #servers: MaybePromise<Servers> | undefined
  #isFinished = false

  constructor(options: HttpOptions, deps: Deps) {
    this.#options = options
    this.#deps = deps
    // The next WebSocket tries again.
    const loadEarly = () => recoverMaybe<unknown>(this.#load(), () => undefined)
    this.#loading = setTimeout(loadEarly, LOAD_AFTER_MS).unref()
  }

  /** Open WebSockets. */
  get size(): number {
    return this.#sessions.size
  }

  /** Stops reading. Resolves when all requests that were read are answered. */
  async finish(): Promise<void> {
    this.#isFinished = true
    clearTimeout(this.#loading)
    // Connections that wait for `ws` have sessions afterwards.
    await recoverMaybe<unknown>(this.#servers, () => undefined)
    await Promise.all(Array.from(this.#sessions.values(), (session) => session.finish()))
  }

  /** Sends a close frame to all clients. */
  close(): void {
    for (const session of this.#sessions.values()) session.goAway()
  }

  /** Terminates the remaining sockets. */
  terminate(): void {
    for (const socket of this.#sessions.keys()) socket.terminate()
  }

  open(request: RequestHead, { address, charge, access }: HttpPeer): HttpResponse | TakeConnection {
    const id = this.#deps.requestId(request.header('x-request-id'))
    const acceptance = this.#accept(request, { address, charge, access })
    if (acceptance.kind === 'refused') {
      this.#deps.monitor.rejected(acceptance.refusal.status)
      return { headers: {}, body: '', ...acceptance.refusal, id, isLast: true }
    }
    const { target } = request
    const headers = Object.fromEntries(request.headers)
    const traceparent = request.header('traceparent')
    const client = { id, charge, address, hasOutsideAccess: access.hasOutsideAccess, traceparent }
    return (socket, following) => {
      socket.on('error', () => socket.destroy())
      if (acceptance.kind === 'transferred') acceptance.handOver({ target, headers, socket, following, client })
      else this.#take({ target, headers, socket, following, client }, acceptance.serve)
    }
  }

  #take(connection: UpgradingConnection, serve: Serve): void {
    const servers = this.#load()
    if (!(servers instanceof Promise)) {
      this.#upgrade(servers, connection, serve)
      return
    }
    const { socket } = connection
    // The connection has no reader until then.
    socket.pause()
    servers
      .then((loaded) => {
        const acceptance = this.#acceptedAgain(connection)
        if (acceptance?.kind !== 'accepted') throw new Error('others have reached a limit of the endpoint')
        this.#upgrade(loaded, connection, acceptance.serve)
        socket.resume()
      })
      .catch(() => socket.destroy())
  }

  #acceptedAgain({ target, headers, client }: UpgradingConnection): Acceptance | undefined {
    const endpoint = this.#deps.endpoints.get(pathOf(target))
    return endpoint?.accept({ target, header: (name) => headers[name], address: client.address })
  }

  #load(): MaybePromise<Servers> {
    this.#servers ??= this.#loadedServers()
    return this.#servers
  }

  async #loadedServers(): Promise<Servers> {
    const { limits } = this.#options
    try {
      const { textSocketServer } = await import('./direct-text-socket.ts')
      this.#servers = new Map(Array.from(this.#deps.endpoints, ([path, to]) => [path, textSocketServer(to, limits)]))
      return this.#servers
    } catch (error) {
      this.#servers = undefined
      throw error
    }
  }

  #upgrade(
    servers: Servers,
    { target, headers, socket: stream, following, client }: UpgradingConnection,
    serve: Serve,
  ): void {
    const server = servers.get(pathOf(target))!
    // `ws` reads the headers in this step, unless the handshake fails.
    const addId = (lines: string[]) => lines.push(`X-Request-Id: ${client.id}`)
    server.once('headers', addId)
    server.handleUpgrade(handshakeRequest(target, headers), stream, following, (socket) => {
      socket.writeDirectlyTo(stream)
      meterMessages(socket, this.#options.limits, { stream, requests: this.#deps.requests })
      const session = serve({ socket, stream, client })
      this.#sessions.set(socket, session)
      socket.on('close', () => this.#sessions.delete(socket))
    })
    server.off('headers', addId)
  }

  /** Clients that are not allowed must learn nothing about endpoints. */
  #accept({ target, header }: RequestHead, { address, charge, access }: ResolvedClient): Acceptance {
    const { allowedHosts } = this.#options
    const { socketOrigins, pages, hasOutsideAccess } = access
    const endpoint = this.#deps.endpoints.get(pathOf(target))
    const origin = header('origin')
    const isOwnPage = pages.size > 0 && isSameOrigin(origin, header('host'))
    // The host check protects from DNS rebinding by web pages; the browser sets the origin.
    const isAllowed = endpoint?.isForProgramsOnly
      ? origin === undefined
      : isAllowedHost(header('host'), allowedHosts) && (isOwnPage || isAllowedOrigin(origin, socketOrigins))
    if (!isAllowed) return refused({ status: 403 })
    if (endpoint === undefined || (hasOutsideAccess && endpoint.isForLoopback)) return refused({ status: 404 })
    if (this.#isFinished) return refused({ status: 503 })
    const acceptance = endpoint.accept({ target, header, address })
    if (acceptance.kind === 'refused') return acceptance
    const wait = charge(UPGRADE_COST)
    if (wait === 0) return acceptance
    return refused({ status: 429, headers: { 'retry-after': String(Math.ceil(wait / 1000)) } })
  }
}

function pathOf(target: string): string {
  return target.split('?', 1)[0]!
}

function refused(refusal: Refusal): Acceptance {
  return { kind: 'refused', refusal }
}
