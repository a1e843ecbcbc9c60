import { decodeSentTransaction, withoutSidecar } from '../../chain/transaction/blob-sidecar.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { recoverTransaction } from '../../chain/transaction/transaction-codec.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import { assertTime } from '../../engine/call/call-sequence.ts'
import type { MayContinue } from '../../engine/types.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'

/** A signed transaction that is executed without being sent. @throws RpcError when the bytes are none */
export function decodedTransaction(raw: Bytes): RecoveredTransaction {
  try {
    return recoverTransaction(withoutSidecar(decodeSentTransaction(raw)))
  } catch (error) {
    if (!(error instanceof TransactionDecodeError)) throw error
    throw new RpcError(RPC_CODES.server, `could not decode transaction: ${error.message}`)
  }
}

/**
 * As `decodedTransaction` for each. Yields between them, since each sender is recovered from a signature.
 *
 * @throws ExecutionStoppedError
 */
export async function decodedTransactions(
  raws: readonly Bytes[],
  mayContinue: MayContinue,
): Promise<readonly RecoveredTransaction[]> {
  const transactions: RecoveredTransaction[] = []
  for (const raw of raws) {
    await assertTime(mayContinue)
    transactions.push(decodedTransaction(raw))
  }
  return transactions
}
