import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { developmentOf } from '../../node/roles/node-handle.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { SendContext } from '../context/sending.ts'
import { assertIncludable } from './assert-includable.ts'
import { assertSentByClient } from './conditional-transaction.ts'
import { accepted } from './sending.ts'

/**
 * Submits a transaction that a client has signed.
 *
 * @throws RpcError when it is refused
 */
export async function submitSigned(raw: Bytes, context: SendContext): Promise<PoolTransaction> {
  assertSentByClient(raw, context)
  const { node, conventions } = context
  const development = developmentOf(node)
  if (!conventions.isReproduced || development === undefined) return accepted(await node.submit(raw), context)
  const received = await development.receive(raw)
  if (received.kind === 'refused') return accepted(received, context)
  const { transaction } = received
  const judge = (nextNonce: bigint) => {
    // The pool refuses a transaction of another chain, whatever its nonce and fees.
    if (transaction.chainId === context.config.chainId) {
      assertIncludable(transaction, nextNonce, { conventions, context, development })
    }
  }
  return accepted(await development.submitReceived(transaction, { judge }), context)
}
