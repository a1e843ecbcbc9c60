import { encodeExecutable } from '../../chain/transaction/conditional-transaction.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { developmentOf } from '../../node/roles/node-handle.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { SendContext } from '../context/sending.ts'
import { assertIncludable } from './assert-includable.ts'
import { assertSentByClient } from './conditional-transaction.ts'
import { accepted } from './sending.ts'

export interface ExecutableOption {
  /** Whether it is refused unless the next block can include it (EIP-7966). Default: it may wait. */
  readonly mustBeExecutable?: boolean
}

/**
 * Submits a transaction that a client has signed.
 *
 * @throws RpcError when it is refused
 */
export async function submitSigned(
  sent: Bytes,
  context: SendContext,
  { mustBeExecutable = false }: ExecutableOption = {},
): Promise<PoolTransaction> {
  assertSentByClient(sent, context)
  const raw = mustBeExecutable ? encodeExecutable(sent) : sent
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
