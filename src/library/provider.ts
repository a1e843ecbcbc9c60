import { EventEmitter } from 'node:events'
import type { RpcConnection } from '../rpc/create-rpc.ts'
import { type NodeError, ProviderRpcError } from './node-error.ts'

/** A request of EIP-1193. */
export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>> | undefined
}

/** A notification of a subscription (EIP-1193). */
export interface ProviderMessage {
  readonly type: 'eth_subscription'
  readonly data: { readonly subscription: string; readonly result: unknown }
}

/** Events of a provider with what their listeners receive (EIP-1193). */
export interface ProviderEvents {
  /** The node serves requests. */
  readonly connect: readonly [{ readonly chainId: string }]
  /** The node has failed, or was closed: all requests are rejected from now on. */
  readonly disconnect: readonly [ProviderRpcError]
  /** A notification of a subscription that `eth_subscribe` made. */
  readonly message: readonly [ProviderMessage]
  /** Never emitted: the chain of a node does not change. */
  readonly chainChanged: readonly [string]
  /** Never emitted. */
  readonly accountsChanged: readonly [readonly string[]]
}

/** EIP-1193: the provider is disconnected from all chains. */
const DISCONNECTED = 4900
const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602

type AnyListener = (...args: unknown[]) => void

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

interface JsonRpcMessage {
  readonly id?: number | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly params?: ProviderMessage['data']
}

/** An EIP-1193 provider over a node in this process. */
export class Provider {
  readonly #connection: RpcConnection
  readonly #events = new EventEmitter()
  readonly #waiting = new Map<number, Waiting>()
  #requests = 0
  #ended: NodeError | undefined

  /** @internal @param connect opens a connection whose messages go to `send` */
  constructor(connect: (send: (text: string) => void) => RpcConnection) {
    this.#events.setMaxListeners(0)
    this.#connection = connect((text) => this.#receive(text))
  }

  /**
   * Runs a JSON-RPC method and returns its result.
   *
   * @throws ProviderRpcError the error of the response; NodeError `NODE_CLOSED`, `NODE_FAILED`
   * @example await node.request({ method: 'eth_getBalance', params: [address, 'latest'] })
   */
  async request(request: RequestArguments): Promise<unknown> {
    if (this.#ended !== undefined) throw this.#ended
    const { method, params } = checkedArguments(request)
    const id = ++this.#requests
    const text = requestText({ jsonrpc: '2.0', id, method, params })
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      // Failures are responses; anything else must not become an unhandled rejection of the caller's process.
      Promise.resolve(this.#connection.receive(text)).catch(reject)
    })
  }

  /** Adds a listener. Listeners run after the event-loop turn of the event. */
  on<Name extends keyof ProviderEvents>(event: Name, listener: (...args: ProviderEvents[Name]) => void): this {
    this.#events.on(event, listener as unknown as AnyListener)
    return this
  }

  removeListener<Name extends keyof ProviderEvents>(
    event: Name,
    listener: (...args: ProviderEvents[Name]) => void,
  ): this {
    this.#events.removeListener(event, listener as unknown as AnyListener)
    return this
  }

  /** @internal Tells listeners that requests are served. */
  protected announce(chainId: string): void {
    this.#emit('connect', { chainId })
  }

  /** @internal Rejects requests in progress and all later ones, and ends the subscriptions. */
  protected end(reason: NodeError): void {
    if (this.#ended !== undefined) return
    this.#ended = reason
    this.#connection.close()
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
    this.#emit('disconnect', new ProviderRpcError(DISCONNECTED, reason.message))
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as JsonRpcMessage
    const waiting = this.#waiting.get(message.id ?? 0)
    if (waiting === undefined) {
      if (message.params !== undefined) this.#emit('message', { type: 'eth_subscription', data: message.params })
      return
    }
    this.#waiting.delete(message.id ?? 0)
    const { error } = message
    if (error === undefined) waiting.resolve(message.result)
    else waiting.reject(new ProviderRpcError(error.code, error.message, error.data))
  }

  /**
   * Runs listeners outside of the node's own work. Their exceptions belong to the caller: they become uncaught
   * exceptions, as those of every emitter.
   */
  #emit<Name extends keyof ProviderEvents>(event: Name, ...args: ProviderEvents[Name]): void {
    setImmediate(() => this.#events.emit(event, ...args))
  }
}

/** @throws ProviderRpcError when JavaScript without types gives no object with a method */
function checkedArguments(request: Partial<RequestArguments> | null | undefined): RequestArguments {
  const { method, params } = request ?? {}
  if (typeof method === 'string') return { method, params }
  throw new ProviderRpcError(INVALID_REQUEST, "a method is missing, as in request({ method: 'eth_blockNumber' })")
}

/** @throws ProviderRpcError when the parameters have no JSON */
function requestText(request: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(request)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ProviderRpcError(
      INVALID_PARAMS,
      `the parameters are no JSON: ${reason}. Write numbers as hex, as in "0x1"`,
    )
  }
}
