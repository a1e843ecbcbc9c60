import type { SimulatedNetwork } from '../world/network.ts'
import type { Actor, Scheduler } from '../world/scheduler.ts'
import { SimulatedSocket } from '../world/simulated-socket.ts'

export type Reply =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** It is unknown whether the request was carried out. */
  | { readonly kind: 'lost' }

/** A method and its parameters. */
export type Call = readonly [method: string, ...params: readonly unknown[]]

/** Milliseconds after which a client gives up on a response. */
const PATIENCE_MS = 15_000

/** A JSON-RPC connection of a client over the simulated network. */
export class ClientConnection {
  /** Name of the node. */
  readonly node: string
  readonly #socket: SimulatedSocket
  readonly #scheduler: Scheduler
  readonly #actor: Actor
  readonly #pending = new Map<number, (reply: Reply) => void>()
  readonly #listeners = new Map<string, (result: unknown) => void>()
  /** Notifications of subscriptions whose listener is not set yet. */
  readonly #early = new Map<string, unknown[]>()
  #id = 0
  isOpen = false
  isClosed = false
  isReading = true

  constructor(actor: Actor, to: string, deps: { readonly network: SimulatedNetwork; readonly scheduler: Scheduler }) {
    this.node = to
    this.#actor = actor
    this.#scheduler = deps.scheduler
    const end = deps.network.connect(actor, to, '/', () => this.#socket.opened())
    this.#socket = new SimulatedSocket(end, false)
    this.#socket.on('message', (data: Buffer) => this.#receive(data.toString()))
    this.#socket.on('error', () => undefined)
  }

  /** Resolves with whether the connection was established. */
  opened(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#socket.on('open', () => {
        this.isOpen = true
        resolve(true)
      })
      this.#socket.on('close', () => {
        this.isClosed = true
        resolve(false)
        for (const settle of this.#pending.values()) settle({ kind: 'lost' })
        this.#pending.clear()
      })
    })
  }

  /** The life of the process that serves it, once it is open. */
  get server(): Actor | undefined {
    return this.#socket.peer
  }

  async request(method: string, ...params: readonly unknown[]): Promise<Reply> {
    const replies = this.#expect([++this.#id], method)
    this.#send({ jsonrpc: '2.0', id: this.#id, method, params })
    return (await replies)[0]!
  }

  /** Sends several requests as one batch, which a node answers from one view until an item writes. */
  batch(calls: readonly Call[]): Promise<readonly Reply[]> {
    const requests = calls.map(([method, ...params]) => ({ jsonrpc: '2.0', id: ++this.#id, method, params }))
    const replies = this.#expect(
      requests.map(({ id }) => id),
      'batch',
    )
    this.#send(requests)
    return replies
  }

  /** Calls back with each notification of a subscription, also those that came before this call. */
  onNotification(subscription: string, listener: (result: unknown) => void): void {
    this.#listeners.set(subscription, listener)
    for (const result of this.#early.get(subscription) ?? []) listener(result)
    this.#early.delete(subscription)
  }

  /** Reads nothing for a while, or reads on. */
  setReading(isReading: boolean): void {
    this.isReading = isReading
    if (isReading) this.#socket.resume()
    else this.#socket.pause()
  }

  close(): void {
    this.#socket.terminate()
  }

  async #expect(ids: readonly number[], label: string): Promise<readonly Reply[]> {
    if (!this.isOpen || this.isClosed) return ids.map(() => ({ kind: 'lost' }) as const)
    const giveUp = () => {
      // A client that does not read cannot see an answer.
      if (!this.isReading) return
      this.#socket.terminate()
      for (const id of ids) this.#settle(id, { kind: 'lost' })
    }
    const cancel = this.#scheduler.after(PATIENCE_MS, this.#actor, `give up ${label}`, giveUp)
    const replies = await Promise.all(ids.map((id) => new Promise<Reply>((resolve) => this.#pending.set(id, resolve))))
    cancel()
    return replies
  }

  #send(content: object): void {
    if (this.isOpen && !this.isClosed) this.#socket.send(JSON.stringify(content))
  }

  #receive(text: string): void {
    const content = JSON.parse(text)
    if (Array.isArray(content)) for (const response of content) this.#respond(response)
    else if (content.method === 'eth_subscription') this.#notify(content.params)
    else this.#respond(content)
  }

  #respond({ id, result, error }: { id: number; result: unknown; error?: { code: number; message: string } }): void {
    this.#settle(id, error === undefined ? { kind: 'result', value: result } : { kind: 'error', ...error })
  }

  #settle(id: number, reply: Reply): void {
    const settle = this.#pending.get(id)
    this.#pending.delete(id)
    settle?.(reply)
  }

  #notify({ subscription, result }: { subscription: string; result: unknown }): void {
    const listener = this.#listeners.get(subscription)
    if (listener !== undefined) listener(result)
    else this.#early.set(subscription, [...(this.#early.get(subscription) ?? []), result])
  }
}
