import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/development-accounts.ts'
import type { ManualServer } from './manual-server.ts'

/** All that bad input must not change: the chain, the open block, and what waits. */
export async function factsOf(server: ManualServer): Promise<unknown> {
  const { head, pool } = server.node.view()
  const answers = await server.batch(
    ['eth_getBlockByNumber', 'latest', true],
    ['eth_getBlockByNumber', 'pending', true],
    ...DEVELOPMENT_ACCOUNTS.map(({ address }) => ['eth_getTransactionCount', address, 'pending'] as const),
  )
  return { answers, sequence: head.sequence, pooled: pool.size }
}
