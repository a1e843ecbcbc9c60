import { maxFeePerGas, type PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Development } from '../../node/development/development.ts'
import { callError, submitError } from '../protocol/errors.ts'
import type { Sending } from './sending.ts'

/**
 * Refuses a transaction that the next block cannot include where the reproduced node does. Otherwise, it waits in the
 * pool.
 *
 * @param nextNonce of its sender
 * @throws RpcError
 */
export function assertIncludable(transaction: PoolTransaction, nextNonce: bigint, sending: Sending): void {
  const { conventions, context, development } = sending
  const { refusesUnincludable } = conventions.sending
  const { nonce, from, gasLimit } = transaction
  const isMinedAtOnce = refusesUnincludable === 'while mining at once' && isAuto(development)
  if (isMinedAtOnce && nonce > nextNonce) {
    const error = { code: 'NONCE_TOO_HIGH', address: from, expected: nextNonce, actual: nonce } as const
    throw callError({ kind: 'invalid', error, gasLimit })
  }
  const { baseFeePerGas: floor = 0n } = context.node.view().head.pending.block.header
  const cap = maxFeePerGas(transaction)
  if (cap >= floor || !(isMinedAtOnce || refusesUnincludable === 'when it cannot pay')) return
  const field = 'gasPrice' in transaction ? 'gasPrice' : 'maxFeePerGas'
  throw submitError({ code: 'FEE_CAP_BELOW_FLOOR', maxFeePerGas: cap, floor, field }, context.options.dialect)
}

function isAuto({ mining }: Development): boolean {
  return mining.mode.kind === 'on-demand' && mining.mode.auto
}
