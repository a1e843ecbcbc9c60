import type { ClientConnection } from './client-connection.ts'
import { ConnectedClient } from './connected-client.ts'

/** An account that nobody uses. */
const ALTERED = `0x${'a1'.repeat(20)}`

/** Takes blocks back, and changes state from outside, as tests of contracts do. */
export class Developer extends ConnectedClient {
  protected async opened(): Promise<void> {}

  protected async act(connection: ClientConnection): Promise<void> {
    if (this.isEnding) return
    const { random } = this.deps
    if (random.isHit(0.6)) {
      await this.#report(connection, 'hardhat_setBalance', ALTERED, `0x${random.integer(2 ** 30).toString(16)}`)
      return
    }
    const latest = await connection.request('eth_blockNumber')
    if (latest.kind !== 'result') return
    const target = Math.max(0, Number(latest.value) - random.integer(4))
    await this.#report(connection, 'debug_setHead', `0x${target.toString(16)}`)
  }

  async #report(connection: ClientConnection, method: string, ...params: readonly unknown[]): Promise<void> {
    const reply = await connection.request(method, ...params)
    this.note(() => `${method} ${params.join(' ')}: ${reply.kind === 'error' ? reply.message : reply.kind}`)
  }
}
