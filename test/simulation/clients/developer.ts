import type { ClientConnection, Reply } from './client-connection.ts'
import { ConnectedClient } from './connected-client.ts'

/** An account that nobody uses. */
const ALTERED = `0x${'a1'.repeat(20)}`
/** Seconds between blocks at the end, when the node makes no flashblocks any more. */
const LAST_INTERVAL_S = 1

/** Takes blocks back, mines on request, and changes state from outside, as tests of contracts do. */
export class Developer extends ConnectedClient {
  /** Snapshots of the process that it is connected to. */
  #snapshots: readonly string[] = []
  /** Whether the leader may mine on demand: its connection may lead to a replica, which forwards the request. */
  #hasSwitched = false

  protected async opened(): Promise<void> {
    this.#snapshots = []
  }

  protected async act(connection: ClientConnection): Promise<void> {
    if (this.isEnding) return this.#mineSteadily(connection)
    const { random } = this.deps
    const choice = random.next()
    if (choice < 0.35) {
      await this.#report(connection, 'hardhat_setBalance', ALTERED, `0x${random.integer(2 ** 30).toString(16)}`)
    } else if (choice < 0.5) await this.#unwind(connection)
    else if (choice < 0.65) await this.#report(connection, 'evm_mine', { blocks: 1 + random.integer(3) })
    else if (choice < 0.75) await this.#takeSnapshot(connection)
    else if (choice < 0.85) await this.#revert(connection)
    else await this.#switch(connection)
  }

  async #unwind(connection: ClientConnection): Promise<void> {
    const latest = await connection.request('eth_blockNumber')
    if (latest.kind !== 'result') return
    const target = Math.max(0, Number(latest.value) - this.deps.random.integer(4))
    await this.#report(connection, 'debug_setHead', `0x${target.toString(16)}`)
  }

  async #takeSnapshot(connection: ClientConnection): Promise<void> {
    const reply = await this.#report(connection, 'evm_snapshot')
    if (reply.kind === 'result') this.#snapshots = [...this.#snapshots, reply.value as string]
  }

  async #revert(connection: ClientConnection): Promise<void> {
    const { random } = this.deps
    if (this.#snapshots.length === 0) return
    const chosen = random.integer(this.#snapshots.length)
    const id = this.#snapshots[chosen]!
    this.#snapshots = this.#snapshots.slice(0, chosen)
    await this.#report(connection, 'evm_revert', id)
  }

  /** Makes the node mine on demand: with each transaction, at an interval, or on request only. */
  async #switch(connection: ClientConnection): Promise<void> {
    const { random } = this.deps
    this.#hasSwitched = true
    this.deps.ledger.minesOnDemand = true
    if (random.isHit(0.5)) await this.#report(connection, 'evm_setAutomine', random.isHit(0.5))
    else await this.#report(connection, 'evm_setIntervalMining', random.integer(3))
  }

  /** Only a restart or another request ends the mode in which the node mines on request only. */
  async #mineSteadily(connection: ClientConnection): Promise<void> {
    if (!this.#hasSwitched) return
    const reply = await this.#report(connection, 'evm_setIntervalMining', LAST_INTERVAL_S)
    if (reply.kind === 'result') this.#hasSwitched = false
  }

  async #report(connection: ClientConnection, method: string, ...params: readonly unknown[]): Promise<Reply> {
    const reply = await connection.request(method, ...params)
    this.note(() => `${method} ${JSON.stringify(params)}: ${reply.kind === 'error' ? reply.message : reply.kind}`)
    return reply
  }
}
