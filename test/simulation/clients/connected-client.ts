import type { Ledger } from '../oracles/ledger.ts'
import type { SimulatedNetwork } from '../world/network.ts'
import type { Random } from '../world/random.ts'
import type { Actor, Scheduler } from '../world/scheduler.ts'
import type { Trace } from '../world/trace.ts'
import { ClientConnection } from './client-connection.ts'

export interface ClientDeps {
  readonly network: SimulatedNetwork
  readonly scheduler: Scheduler
  readonly random: Random
  readonly trace: Trace
  readonly ledger: Ledger
  /** Names of the nodes that it may connect to. */
  readonly nodes: () => readonly string[]
  /** Whether several processes serve the clients of a node. */
  readonly hasReaders: (node: string) => boolean
}

/** Milliseconds between two actions at most, in the median, of a client that causes nothing new. */
const ENDING_THINK_MS = 500

/** A program that does one thing after another, over one connection at a time. */
export abstract class ConnectedClient implements Actor {
  readonly name: string
  isAlive = true
  readonly pausedUntil = 0
  protected readonly deps: ClientDeps
  readonly #thinkMs: number
  #connection: ClientConnection | undefined
  #second: ClientConnection | undefined
  #isEnding = false
  #wake: () => void = () => undefined

  /** @param thinkMs median of the time between two actions, in milliseconds */
  constructor({ name, thinkMs }: { readonly name: string; readonly thinkMs: number }, deps: ClientDeps) {
    this.name = name
    this.#thinkMs = thinkMs
    this.deps = deps
  }

  start(): void {
    void this.#live()
  }

  end(): void {
    this.isAlive = false
  }

  /** Whether it causes nothing new. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  /** Causes nothing new from now on, and ends its pause: it may have to undo something. */
  finish(): void {
    this.#isEnding = true
    this.deps.scheduler.after(0, this, 'think', this.#wake)
  }

  /** The open connection. */
  protected get connection(): ClientConnection | undefined {
    return usable(this.#connection)
  }

  /** Another open connection to the same node, which may be served by another process. */
  protected get second(): ClientConnection | undefined {
    return this.#second?.node === this.connection?.node ? usable(this.#second) : undefined
  }

  /** Connects to the node of a connection a second time if several processes serve its clients. */
  protected async connectAgain({ node }: ClientConnection): Promise<void> {
    this.#second?.close()
    this.#second = undefined
    if (!this.deps.hasReaders(node)) return
    const second = new ClientConnection(this, node, this.deps)
    this.#second = second
    await second.opened()
  }

  /** Called once with each connection. */
  protected abstract opened(connection: ClientConnection): Promise<void>
  protected abstract act(connection: ClientConnection): Promise<void>

  protected note(text: () => string): void {
    this.deps.trace.note(this.name, text)
  }

  protected pause(medianMs: number): Promise<void> {
    const { scheduler, random } = this.deps
    return new Promise((resolve) => {
      this.#wake = resolve
      scheduler.after(random.delay(medianMs), this, 'think', resolve)
    })
  }

  async #live(): Promise<void> {
    for (;;) {
      await this.pause(this.isEnding ? Math.min(this.#thinkMs, ENDING_THINK_MS) : this.#thinkMs)
      const connection = this.connection ?? (await this.#connect())
      if (connection !== undefined) await this.act(connection)
    }
  }

  async #connect(): Promise<ClientConnection | undefined> {
    const nodes = this.deps.nodes()
    if (nodes.length === 0) return undefined
    const connection = new ClientConnection(this, this.deps.random.pick(nodes), this.deps)
    this.#connection = connection
    if (!(await connection.opened())) return undefined
    await this.opened(connection)
    return connection
  }
}

function usable(connection: ClientConnection | undefined): ClientConnection | undefined {
  return connection?.isOpen && !connection.isClosed ? connection : undefined
}
