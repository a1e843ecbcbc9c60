import { signTransfer } from '../../support/transfers.ts'
import type { SimulatedNetwork } from '../world/network.ts'
import type { Random } from '../world/random.ts'
import type { Actor, Scheduler } from '../world/scheduler.ts'
import type { Trace } from '../world/trace.ts'
import { ClientConnection } from './client-connection.ts'
import type { Ledger } from './ledger.ts'
import { GENESIS_SENDERS } from './senders.ts'

export interface ClientOptions {
  /** Number of its account. */
  readonly account: number
  /** Median of the time between two actions, in milliseconds. */
  readonly thinkMs: number
}

export interface ClientDeps {
  readonly network: SimulatedNetwork
  readonly scheduler: Scheduler
  readonly random: Random
  readonly trace: Trace
  readonly ledger: Ledger
  /** Names of the nodes that it may connect to. */
  readonly nodes: () => readonly string[]
}

const TIP = 1_000_000n
const BASE = 10_000_000_000n

/** Sends transfers of one account and reads, over one connection at a time. */
export class Client implements Actor {
  readonly name: string
  readonly isAlive = true
  readonly pausedUntil = 0
  readonly #options: ClientOptions
  readonly #deps: ClientDeps
  #connection: ClientConnection | undefined
  #nonce = 0n
  /** The highest nonce of an acknowledged transaction. */
  #highest = -1n
  #height = 0
  /** Whether it only replaces what is missing for its acknowledged transactions to be included. */
  isEnding = false

  constructor(options: ClientOptions, deps: ClientDeps) {
    this.name = `client-${options.account}`
    this.#options = options
    this.#deps = deps
  }

  start(): void {
    void this.#live()
  }

  async #live(): Promise<void> {
    for (;;) {
      await this.#pause(this.#options.thinkMs)
      const connection = await this.#connected()
      if (connection !== undefined) await this.#act(connection)
    }
  }

  async #act(connection: ClientConnection): Promise<void> {
    const { random } = this.#deps
    if (this.isEnding) return this.#complete(connection)
    const choice = random.next()
    if (choice < 0.6) {
      // Several at once, some of which may be lost.
      const count = random.isHit(0.3) ? 1 + random.integer(4) : 1
      const sends = Array.from({ length: count }, () => this.#send(connection, this.#nonce++, TIP))
      await Promise.all(sends)
    } else if (choice < 0.7 && this.#nonce > 0n) {
      await this.#send(connection, this.#nonce - 1n, TIP * BigInt(2 + random.integer(20)))
    } else if (choice < 0.95) await this.#readHeight(connection)
    else connection.close()
  }

  /** Sends the next transaction as long as an acknowledged one has a higher nonce. */
  async #complete(connection: ClientConnection): Promise<void> {
    const next = await this.#pendingNonce(connection)
    if (next !== undefined && next <= this.#highest) await this.#send(connection, next, TIP)
  }

  async #send(connection: ClientConnection, nonce: bigint, tip: bigint): Promise<void> {
    const { ledger, trace, random } = this.#deps
    const { account } = this.#options
    const to = random.pick(GENESIS_SENDERS).address
    const fees = { maxPriorityFeePerGas: tip, maxFeePerGas: BASE + 1_000n * tip }
    const signed = signTransfer({ from: account, nonce, to, value: BigInt(random.integer(1_000_000)), ...fees })
    const transaction = { hash: signed.hash, sender: signed.from, nonce, tip }
    ledger.sending(transaction)
    const reply = await connection.request('eth_sendRawTransaction', `0x${Buffer.from(signed.raw).toString('hex')}`)
    trace.note(this.name, () => `nonce ${nonce} ${signed.hash.slice(0, 10)}: ${outcomeOf(reply)}`)
    if (reply.kind === 'result') {
      ledger.acknowledge(transaction)
      if (nonce > this.#highest) this.#highest = nonce
    } else if (!this.isEnding) await this.#resume(connection)
  }

  /** Continues with the nonce that the node expects. */
  async #resume(connection: ClientConnection): Promise<void> {
    const next = await this.#pendingNonce(connection)
    if (next !== undefined) this.#nonce = next
  }

  async #pendingNonce(connection: ClientConnection): Promise<bigint | undefined> {
    const { address } = GENESIS_SENDERS[this.#options.account]!
    const reply = await connection.request('eth_getTransactionCount', address, 'pending')
    return reply.kind === 'result' ? BigInt(reply.value as string) : undefined
  }

  async #readHeight(connection: ClientConnection): Promise<void> {
    const reply = await connection.request('eth_blockNumber')
    if (reply.kind !== 'result' || connection !== this.#connection) return
    const height = Number(reply.value)
    if (height < this.#height) {
      this.#deps.ledger.fail('monotonic', `${this.name} read block ${height} after ${this.#height} on one connection`)
    }
    this.#height = height
  }

  async #connected(): Promise<ClientConnection | undefined> {
    if (this.#connection?.isOpen && !this.#connection.isClosed) return this.#connection
    const nodes = this.#deps.nodes()
    if (nodes.length === 0) return undefined
    const connection = new ClientConnection(this, this.#deps.random.pick(nodes), this.#deps)
    this.#connection = connection
    this.#height = 0
    if (!(await connection.opened())) return undefined
    await this.#resume(connection)
    return connection
  }

  #pause(medianMs: number): Promise<void> {
    const { scheduler, random } = this.#deps
    return new Promise((resolve) => scheduler.after(random.delay(medianMs), this, 'think', resolve))
  }
}

function outcomeOf(reply: Awaited<ReturnType<ClientConnection['request']>>): string {
  if (reply.kind === 'error') return `refused, ${reply.message}`
  return reply.kind === 'result' ? 'acknowledged' : 'connection lost'
}
