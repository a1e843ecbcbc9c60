import { decodeSentTransaction } from '../../chain/transaction/blob-sidecar.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import { MAX_BLOCKS_PER_REQUEST } from '../../node/development/leader-development.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'
import type { RollbackRefusal } from '../../node/development/snapshots.ts'
import type { ReorgTransaction } from '../codecs/development/reorg-transactions.ts'
import { submitError } from '../errors.ts'
import { mineError } from '../registry/development-refusals.ts'
import { accepted, assertSender, type Sending, sendTransaction } from './send-transaction.ts'

/**
 * Replaces the newest blocks by as many others. Block i includes the transactions with that index, in order. Depth,
 * encodings and senders are checked before anything changes.
 *
 * @throws RpcError when a transaction is refused; if only its execution can tell, the chain is shorter then
 */
export async function reorganize(
  depth: number,
  transactions: readonly ReorgTransaction[],
  sending: Sending,
): Promise<RollbackRefusal | undefined> {
  const { context, development, compat } = sending
  const { mining, snapshots } = development
  const limit = MAX_BLOCKS_PER_REQUEST
  if (depth > limit && depth <= context.node.view().head.sealed.latest) {
    throw mineError({ code: 'TOO_MANY_BLOCKS', blocks: depth, limit }, compat)
  }
  for (const { transaction } of transactions) check(transaction, sending)
  const { mode } = mining
  // Each block is mined when its transactions are in the pool.
  await mining.setMode(() => MANUAL, { minesWaiting: false })
  try {
    const refused = await snapshots.rollback(depth)
    if (refused !== undefined) return refused
    let mined = 0
    for (const [block, included] of byBlock(transactions)) {
      await mining.mine({ blocks: block - mined })
      for (const transaction of included) await send(transaction, sending)
      await mining.mine({ blocks: 1 })
      mined = block + 1
    }
    await mining.mine({ blocks: depth - mined })
    return undefined
  } finally {
    await mining.setMode(() => mode, { minesWaiting: false })
  }
}

/** Transactions by the index of their block, ascending. */
function byBlock(transactions: readonly ReorgTransaction[]) {
  const blocks = new Map<number, ReorgTransaction['transaction'][]>()
  for (const { block, transaction } of [...transactions].sort((a, b) => a.block - b.block)) {
    const included = blocks.get(block) ?? []
    included.push(transaction)
    blocks.set(block, included)
  }
  return blocks
}

/** @throws RpcError when the bytes are no transaction of this chain, or the node cannot send for the account */
function check(transaction: ReorgTransaction['transaction'], { context, development }: Sending): void {
  if ('request' in transaction) {
    assertSender(transaction.request, development)
    return
  }
  const { config, options } = context
  try {
    const decoded = decodeSentTransaction(transaction.raw)
    const have = 'chainId' in decoded ? decoded.chainId : undefined
    if (have === undefined || have === config.chainId) return
    throw submitError({ code: 'WRONG_CHAIN_ID', have, want: config.chainId }, options.dialect)
  } catch (error) {
    if (!(error instanceof TransactionDecodeError)) throw error
    throw submitError({ code: 'UNDECODABLE', reason: error.message }, options.dialect)
  }
}

async function send(transaction: ReorgTransaction['transaction'], sending: Sending): Promise<void> {
  const { context } = sending
  if ('raw' in transaction) accepted(await context.node.submit(transaction.raw), context)
  else await sendTransaction(transaction.request, sending)
}
