import { hexToBytes } from '../../../src/primitives/hex.ts'
import { topicOf } from '../../support/log-emitter.ts'
import { signTransfer } from '../../support/transfers.ts'
import type { SentTransaction } from '../oracles/transactions.ts'
import type { ClientConnection, Reply } from './client-connection.ts'
import { type ClientDeps, ConnectedClient } from './connected-client.ts'
import { EMITTER, GENESIS_SENDERS } from './senders.ts'

export interface SenderOptions {
  /** Number of its account. */
  readonly account: number
  /** Median of the time between two actions, in milliseconds. */
  readonly thinkMs: number
}

const TIP = 1_000_000n
const BASE = 10_000_000_000n
/** Topics of logs. */
export const TOPICS = 3

/** Sends transfers and calls of one account, and reads. */
export class Sender extends ConnectedClient {
  readonly #account: number
  #nonce = 0n
  /** The highest nonce of an acknowledged transaction. */
  #highest = -1n
  /** Number and transactions of the open block that the connection has shown. */
  #read = { number: 0, transactions: 0 }
  /** Unwindings that it knows of. */
  #unwindings = 0

  constructor({ account, thinkMs }: SenderOptions, deps: ClientDeps) {
    super({ name: `client-${account}`, thinkMs }, deps)
    this.#account = account
  }

  protected async opened(connection: ClientConnection): Promise<void> {
    this.#read = { number: 0, transactions: 0 }
    await this.connectAgain(connection)
    await this.#resume(connection)
  }

  protected async act(connection: ClientConnection): Promise<void> {
    const { random } = this.deps
    if (this.isEnding) return this.#complete(connection)
    const choice = random.next()
    if (choice < 0.6) {
      // Several at once, some of which may be lost.
      const count = random.isHit(0.3) ? 1 + random.integer(4) : 1
      const sends = Array.from({ length: count }, () => this.#send(connection, this.#nonce++, TIP))
      await Promise.all(sends)
    } else if (choice < 0.7 && this.#nonce > 0n) {
      await this.#send(connection, this.#nonce - 1n, TIP * BigInt(2 + random.integer(20)))
    } else if (choice < 0.73) {
      // It waits for those before it.
      await this.#send(connection, this.#nonce + BigInt(2 + random.integer(8)), TIP)
    } else if (choice < 0.95) await this.#readOpenBlock(connection)
    else connection.close()
  }

  /**
   * Fills the gaps below the highest acknowledged nonce, without pauses: after an unwinding, there may be more of them
   * than it can fill at its usual pace before the recovery has to be complete.
   */
  async #complete(connection: ClientConnection): Promise<void> {
    let next = await this.#pendingNonce(connection)
    while (next !== undefined && next <= this.#highest) {
      const sent = next
      await this.#send(connection, sent, TIP)
      next = await this.#pendingNonce(connection)
      if (next === sent) return
    }
  }

  async #send(connection: ClientConnection, nonce: bigint, tip: bigint): Promise<void> {
    const { ledger } = this.deps
    const { raw, hash, from } = this.#sign(nonce, tip)
    const transaction = ledger.transactions.send({ hash, sender: from, nonce, tip })
    const reply = await connection.request('eth_sendRawTransaction', `0x${Buffer.from(raw).toString('hex')}`)
    this.note(() => `nonce ${nonce} ${hash.slice(0, 10)}: ${outcomeOf(reply)}`)
    if (reply.kind === 'result') {
      ledger.transactions.acknowledge(transaction)
      if (nonce > this.#highest) this.#highest = nonce
      await this.#find(connection, transaction)
      if (this.second !== undefined) await this.#find(this.second, transaction)
    } else if (!this.isEnding) await this.#resume(connection)
  }

  /** The connection that acknowledged a transaction finds it. So does the second connection to the same node. */
  async #find(connection: ClientConnection, transaction: SentTransaction): Promise<void> {
    const { ledger } = this.deps
    const isSecond = connection === this.second
    const reply = await connection.request('eth_getTransactionByHash', transaction.hash)
    // While a follower applies an unwinding, its pool lags behind the records.
    const isExpected = ledger.unwindings === 0 && ledger.transactions.isExpected(transaction)
    if (reply.kind !== 'result' || reply.value !== null || !isExpected) return
    if (isSecond && this.deps.scheduler.now < (connection.server?.mayLagUntil ?? 0)) return
    ledger.fail(
      'monotonic',
      `${this.name} does not find ${transaction.hash} at ${connection.server?.name}, which acknowledged it`,
    )
  }

  /** A transfer with a random value, so that no two are equal, or a call that emits a log. */
  #sign(nonce: bigint, tip: bigint) {
    const { random } = this.deps
    const fees = { maxPriorityFeePerGas: tip, maxFeePerGas: BASE + 1_000n * tip }
    if (random.isHit(0.7)) {
      const to = random.pick(GENESIS_SENDERS).address
      return signTransfer({ from: this.#account, nonce, to, value: BigInt(random.integer(2 ** 40)), ...fees })
    }
    const salt = random
      .integer(2 ** 40)
      .toString(16)
      .padStart(64, '0')
    const data = hexToBytes(`${topicOf(1 + random.integer(TOPICS))}${salt}`)
    return signTransfer({ from: this.#account, nonce, to: EMITTER, value: 0n, data, gasLimit: 60_000n, ...fees })
  }

  /** Continues with the nonce that the node expects. */
  async #resume(connection: ClientConnection): Promise<void> {
    const next = await this.#pendingNonce(connection)
    if (next !== undefined) this.#nonce = next
  }

  async #pendingNonce(connection: ClientConnection): Promise<bigint | undefined> {
    const { address } = GENESIS_SENDERS[this.#account]!
    const reply = await connection.request('eth_getTransactionCount', address, 'pending')
    return reply.kind === 'result' ? BigInt(reply.value as string) : undefined
  }

  /** The open block never goes back, unless blocks were unwound. */
  async #readOpenBlock(connection: ClientConnection): Promise<void> {
    const { ledger } = this.deps
    const reply = await connection.request('eth_getBlockByNumber', 'pending', false)
    if (reply.kind !== 'result' || connection !== this.connection) return
    const block = reply.value as { readonly number: string; readonly transactions: readonly string[] }
    const read = { number: Number(block.number), transactions: block.transactions.length }
    const before = this.#read
    this.#read = read
    if (this.#unwindings !== ledger.unwindings) {
      this.#unwindings = ledger.unwindings
      await this.#resume(connection)
    }
    const wentBack =
      read.number < before.number || (read.number === before.number && read.transactions < before.transactions)
    if (!wentBack || ledger.unwindings > 0) return
    const text = (one: typeof read) => `block ${one.number} with ${one.transactions} transactions`
    ledger.fail('monotonic', `${this.name} read ${text(read)} after ${text(before)} on one connection`)
  }
}

function outcomeOf(reply: Reply): string {
  if (reply.kind === 'error') return `refused, ${reply.message}`
  return reply.kind === 'result' ? 'acknowledged' : 'connection lost'
}
