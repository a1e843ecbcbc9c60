import { bloomOf } from '../../chain/receipt/bloom.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { Executed } from '../types.ts'

/** Progress of the block before a transaction. */
export interface BlockSoFar {
  readonly gasUsed: number
  readonly logCount: number
}

/**
 * The receipt of an executed transaction.
 *
 * @param blob blob gas and its price on layer 1, the DA footprint on layer 2
 */
export function createReceipt(
  transaction: RecoveredTransaction,
  result: Executed,
  before: BlockSoFar,
  blob: Pick<Receipt, 'blobGasUsed' | 'blobGasPrice'>,
): Receipt {
  const logs = Object.freeze(result.logs)
  return Object.freeze({
    type: transaction.type,
    outcome: { status: result.status === 'success' ? 1 : 0 },
    cumulativeGasUsed: before.gasUsed + result.gasUsed,
    gasUsed: result.gasUsed,
    logsBloom: bloomOf(logs),
    logs,
    firstLogIndex: before.logCount,
    contractAddress: result.contractAddress,
    effectiveGasPrice: result.effectiveGasPrice,
    ...blob,
    ...(result.depositNonce !== undefined && { deposit: { nonce: result.depositNonce, version: 1n } }),
  } satisfies Receipt)
}
