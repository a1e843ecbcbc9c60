import { MANUAL } from '../../node/development/mining-mode.ts'
import type { RollbackRefusal } from '../../node/development/snapshots.ts'
import type { ReorgTransaction } from '../codecs/development/reorg-transactions.ts'
import { accepted, type Sending, sendTransaction } from './send-transaction.ts'

/**
 * Replaces the newest blocks by as many others. Block i includes the transactions with that index, in order.
 *
 * @throws RpcError when a transaction is refused; the chain is shorter then
 */
export async function reorganize(
  depth: number,
  transactions: readonly ReorgTransaction[],
  sending: Sending,
): Promise<RollbackRefusal | undefined> {
  const { mining, snapshots } = sending.development
  const { mode } = mining
  // Each block is mined when its transactions are in the pool.
  await mining.setMode(() => MANUAL, { minesWaiting: false })
  try {
    const refused = await snapshots.rollback(depth)
    if (refused !== undefined) return refused
    for (let block = 0; block < depth; block++) {
      for (const { transaction } of transactions.filter((wanted) => wanted.block === block)) {
        await send(transaction, sending)
      }
      await mining.mine({ blocks: 1 })
    }
    return undefined
  } finally {
    await mining.setMode(() => mode, { minesWaiting: false })
  }
}

async function send(transaction: ReorgTransaction['transaction'], sending: Sending): Promise<void> {
  const { context } = sending
  if ('raw' in transaction) accepted(await context.node.submit(transaction.raw), context)
  else await sendTransaction(transaction.request, sending)
}
