import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { RpcResponse } from './json-rpc-client.ts'

interface Notification {
  readonly jsonrpc: string
  readonly method: string
  readonly params: { readonly subscription: string; readonly result: unknown }
}

/** A JSON-RPC connection that collects its messages in order. */
export class RpcSocket {
  readonly #socket: WebSocket
  readonly #waiting = new Map<unknown, (response: RpcResponse) => void>()
  readonly #listeners = new Set<() => void>()
  /** All notifications so far, raw. */
  readonly notifications: Notification[] = []
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const message: unknown = JSON.parse(data.toString())
      if (isNotification(message)) {
        this.notifications.push(message)
        for (const listener of this.#listeners) listener()
      } else {
        const response = message as RpcResponse
        this.#waiting.get(response.id)?.(response)
        this.#waiting.delete(response.id)
      }
    })
  }

  static async connect(url: string): Promise<RpcSocket> {
    const socket = new WebSocket(url)
    const connected = new RpcSocket(socket)
    await once(socket, 'open')
    return connected
  }

  request(method: string, ...params: unknown[]): Promise<RpcResponse> {
    const id = ++this.#lastId
    const response = new Promise<RpcResponse>((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return response
  }

  async result<T>(method: string, ...params: unknown[]): Promise<T> {
    const response = await this.request(method, ...params)
    if (response.error !== undefined) throw new Error(`${method}: ${JSON.stringify(response.error)}`)
    return response.result as T
  }

  subscribe(kind: string, ...options: unknown[]): Promise<string> {
    return this.result('eth_subscribe', kind, ...options)
  }

  /** All notifications of a subscription that the server has sent so far. */
  async received<T>(subscription: string): Promise<T[]> {
    // Messages of a connection are ordered: the response follows them.
    await this.request('net_version')
    return this.#of<T>(subscription)
  }

  /** The first matching notification of a subscription, past or future. */
  first<T>(subscription: string, isWanted: (item: T) => boolean): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.#of<T>(subscription).find(isWanted)
        if (found === undefined) return
        this.#listeners.delete(look)
        resolve(found)
      }
      this.#listeners.add(look)
      look()
    })
  }

  /** Resolves with the close code. */
  async closed(): Promise<number> {
    const [code] = await once(this.#socket, 'close')
    return code
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }

  #of<T>(subscription: string): T[] {
    return this.notifications
      .filter(({ params }) => params.subscription === subscription)
      .map(({ params }) => params.result as T)
  }
}

function isNotification(message: unknown): message is Notification {
  return typeof message === 'object' && message !== null && 'method' in message
}
