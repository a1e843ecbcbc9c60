import type { SimulatedNetwork } from '../world/network.ts'
import type { Actor, Scheduler } from '../world/scheduler.ts'
import { SimulatedSocket } from '../world/simulated-socket.ts'

export type Reply =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** It is unknown whether the request was carried out. */
  | { readonly kind: 'lost' }

/** Milliseconds after which a client gives up on a response. */
const PATIENCE_MS = 15_000

/** A JSON-RPC connection of a client over the simulated network. */
export class ClientConnection {
  readonly #socket: SimulatedSocket
  readonly #scheduler: Scheduler
  readonly #actor: Actor
  readonly #pending = new Map<number, (reply: Reply) => void>()
  #id = 0
  isOpen = false
  isClosed = false

  constructor(actor: Actor, to: string, deps: { readonly network: SimulatedNetwork; readonly scheduler: Scheduler }) {
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

  request(method: string, ...params: readonly unknown[]): Promise<Reply> {
    if (!this.isOpen || this.isClosed) return Promise.resolve({ kind: 'lost' })
    const id = ++this.#id
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#pending.delete(id)
        this.#socket.terminate()
        resolve({ kind: 'lost' })
      }
      const cancel = this.#scheduler.after(PATIENCE_MS, this.#actor, `give up ${method}`, giveUp)
      this.#pending.set(id, (reply) => {
        cancel()
        resolve(reply)
      })
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  close(): void {
    this.#socket.terminate()
  }

  #receive(text: string): void {
    const { id, result, error } = JSON.parse(text)
    const settle = this.#pending.get(id)
    this.#pending.delete(id)
    settle?.(error === undefined ? { kind: 'result', value: result } : { kind: 'error', ...error })
  }
}
