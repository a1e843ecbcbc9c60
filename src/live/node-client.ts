import { hashIn } from './amount.ts'
import { type Connection, initialConnection, nextConnection } from './connection.ts'
import { BatchedRpc } from './http-rpc.ts'
import { LiveSocket, type SocketLike, type SubscriptionListener } from './live-socket.ts'
import type { NodeAddress } from './node-address.ts'
import { RequestError } from './request-error.ts'
import { Store } from './store.ts'

/** Functions of the browser that a client uses. */
export interface ClientDeps {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  readonly connect: (url: string) => SocketLike
  /** Unix time in milliseconds. */
  readonly now: () => number
  readonly after: (milliseconds: number, action: () => void) => () => void
}

/** Called with the hash of a transaction that this client sent, and the time before it was sent. */
export type SentListener = (hash: string, at: number) => void

const SENDING_METHODS: ReadonlySet<string> = new Set(['eth_sendTransaction', 'eth_sendRawTransaction'])
const REQUEST_TIMEOUT_MS = 20_000
const MAX_BATCH = 50
/** Between requests for a sign of life while there is no WebSocket. */
const POLL_MS = 2_000

/** A node over its public interfaces: JSON-RPC, subscriptions, REST and operations pages. */
export class NodeClient {
  readonly endpoint: NodeAddress
  readonly connection: Store<Connection>
  readonly #deps: ClientDeps
  readonly #http: BatchedRpc
  readonly #socket: LiveSocket
  readonly #sentListeners = new Set<SentListener>()
  #cancelPoll: (() => void) | undefined

  constructor(endpoint: NodeAddress, deps: ClientDeps) {
    const { now } = deps
    this.endpoint = endpoint
    this.#deps = deps
    this.connection = new Store(initialConnection(now()))
    this.#http = new BatchedRpc(
      { url: endpoint.http, timeoutMs: REQUEST_TIMEOUT_MS, maxBatch: MAX_BATCH },
      {
        fetch: deps.fetch,
        onExchange: (responded) => this.#happened({ kind: responded ? 'response' : 'failure', at: now() }),
      },
    )
    this.#socket = new LiveSocket(
      { url: endpoint.ws, firstWaitMs: 250, longestWaitMs: 4_000, connectMs: 5_000, silenceMs: 4_000 },
      {
        ...deps,
        onState: (state) => this.#happened({ kind: 'socket', state, at: now() }),
        onMessage: () => this.#happened({ kind: 'message', at: now() }),
      },
    )
  }

  /** Connects, and stays connected until `close`. */
  open(): void {
    this.#socket.open()
    this.#poll()
  }

  close(): void {
    this.#cancelPoll?.()
    this.#socket.close()
  }

  /** Connects at once, as after the machine was asleep. */
  retry(): void {
    this.#socket.retry()
  }

  /** @throws RequestError */
  async request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const at = this.#deps.now()
    const result = await this.#http.request(method, params)
    const hash = SENDING_METHODS.has(method) ? hashIn(result) : undefined
    if (hash !== undefined) for (const listener of this.#sentListeners) listener(hash, at)
    return result
  }

  /** Follows the transactions that this client sends. @returns ends it */
  onSent(listener: SentListener): () => void {
    this.#sentListeners.add(listener)
    return () => this.#sentListeners.delete(listener)
  }

  /** Subscribes with `eth_subscribe`, again after each lost connection. @returns ends it */
  subscribe(params: readonly unknown[], listener: SubscriptionListener): () => void {
    return this.#socket.subscribe(params, listener)
  }

  /**
   * Reads a path beside JSON-RPC, such as `v1/tokenized-stocks` or `ready`.
   *
   * @throws RequestError
   */
  async read(path: string): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await this.#deps.fetch(new URL(path, this.endpoint.http).href, {
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      })
      return { status: response.status, text: await response.text() }
    } catch {
      throw new RequestError('UNREACHABLE', `${path} of the node cannot be read`)
    }
  }

  #happened(event: Parameters<typeof nextConnection>[1]): void {
    this.connection.update((before) => nextConnection(before, event))
  }

  /** Without a WebSocket only responses show whether the node is there. */
  #poll(): void {
    this.#cancelPoll = this.#deps.after(POLL_MS, () => {
      const { kind } = this.connection.value
      if (kind === 'polling' || kind === 'offline') this.request('eth_blockNumber').catch(() => undefined)
      this.#poll()
    })
  }
}
