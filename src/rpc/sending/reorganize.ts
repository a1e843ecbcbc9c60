import type { ReorgRefusal, RollbackRefusal } from '../../node/development/snapshots.ts'
import { MAX_BLOCKS_PER_REQUEST } from '../../node/production/leader-development.ts'
import type { ReorgTransaction } from '../codecs/development/reorg-transactions.ts'
import { mineError } from '../compat/development-refusals.ts'
import { RpcError, submitError } from '../protocol/errors.ts'
import { checkedRequest } from './fill-request.ts'
import { assertSender, sendTransaction } from './send-transaction.ts'
import { accepted, type Sending } from './sending.ts'

/**
 * Replaces the newest blocks by as many others. Block i includes the transactions with that index, in order. Depth,
 * encodings, signatures and senders are checked before anything changes. Gas and fees that a request leaves out are
 * those on the chain that is being built.
 *
 * @throws RpcError when a transaction is refused; if only its execution can tell, the new chain lacks it
 */
export async function reorganize(
  depth: number,
  transactions: readonly ReorgTransaction[],
  sending: Sending,
): Promise<RollbackRefusal | undefined> {
  const { context, development, conventions } = sending
  const limit = MAX_BLOCKS_PER_REQUEST
  if (depth > limit && depth <= context.node.view().head.sealed.latest) {
    throw mineError({ code: 'TOO_MANY_BLOCKS', blocks: depth, limit }, conventions)
  }
  const prepared = await Promise.all(
    [...transactions]
      .sort((a, b) => a.block - b.block)
      .map(async ({ block, transaction }) => ({ block, send: await prepare(transaction, sending) })),
  )
  const refused = await development.snapshots.reorganize(depth, prepared)
  if (refused?.code === 'TRANSACTIONS_REFUSED') throw refusedTransactions(refused)
  return refused
}

/**
 * Checks a transaction.
 *
 * @returns what sends it
 * @throws RpcError when the bytes are no transaction of this chain, or the node cannot send for the account
 */
async function prepare(
  transaction: ReorgTransaction['transaction'],
  sending: Sending,
): Promise<() => Promise<unknown>> {
  const { context, development, conventions } = sending
  if ('request' in transaction) {
    assertSender(transaction.request, development)
    const request = checkedRequest(transaction.request, conventions, context)
    return () => sendOnNewestView(request, sending)
  }
  const { config, options } = context
  const received = await development.receive(transaction.raw)
  if (received.kind === 'refused') throw submitError(received.refusal, options.dialect)
  const { transaction: signed } = received
  const { chainId: actual } = signed
  if (actual !== undefined && actual !== config.chainId) {
    throw submitError({ code: 'WRONG_CHAIN_ID', expected: config.chainId, actual }, options.dialect)
  }
  return async () => accepted(await development.submitReceived(signed, { isMined: false }), context)
}

async function sendOnNewestView(
  request: Parameters<typeof sendTransaction>[0],
  { conventions, context, development }: Sending,
): Promise<unknown> {
  const renewed = context.renewed()
  renewed.view.retain()
  try {
    return await sendTransaction(request, { conventions, context: renewed, development }, { isMined: false })
  } finally {
    renewed.view.release()
  }
}

/** The error of the first one. */
function refusedTransactions({ refused }: ReorgRefusal): unknown {
  const [first] = refused
  const error = first?.error
  if (!(error instanceof RpcError)) return error
  const others = refused.length > 1 ? `, and ${refused.length - 1} more` : ''
  const message = `the chain was reorganized without a transaction of block ${first?.transaction.block}${others}`
  return new RpcError(error.code, `${message}: ${error.message}`, error.data)
}
