import { BLOB_TYPE } from '../../chain/transaction/blob-sidecar.ts'
import { decodeWaitingTransaction, EXECUTABLE_PREFIX } from '../../chain/transaction/conditional-transaction.ts'
import { impersonatedSender } from '../../chain/transaction/impersonation.ts'
import type { SubmitRefusal } from '../../chain/transaction/refusal.ts'
import { DEPOSIT_TYPE, type PoolTransaction } from '../../chain/transaction/transaction.ts'
import { isMalleable, withSender } from '../../chain/transaction/transaction-codec.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { SenderRecovery } from './sender-recovery.ts'

export type ReceivedTransaction =
  | { readonly kind: 'transaction'; readonly transaction: PoolTransaction }
  | { readonly kind: 'refused'; readonly hash: Hash | undefined; readonly refusal: SubmitRefusal }

/**
 * Decodes sent bytes and recovers the sender, once. Deposits come from layer 1 only.
 *
 * @param recovered the sender if another process of this node has recovered it
 */
export async function receiveTransaction(
  submitted: Bytes,
  chain: { readonly hasBlobs: boolean },
  senders: SenderRecovery,
  recovered?: Address,
): Promise<ReceivedTransaction> {
  let hash: Hash | undefined
  const mustBeExecutable = submitted[0] === EXECUTABLE_PREFIX
  const raw = mustBeExecutable ? submitted.subarray(1) : submitted
  // Checked before decoding: a blob transaction is sent with its sidecar, which a chain without blobs does not use.
  const type = raw[0]
  if (type === DEPOSIT_TYPE || (type === BLOB_TYPE && !chain.hasBlobs)) {
    return { kind: 'refused', hash, refusal: { code: 'TYPE_NOT_SUPPORTED', type } }
  }
  try {
    const transaction = decodeWaitingTransaction(raw)
    hash = transaction.hash
    if (transaction.type === DEPOSIT_TYPE) {
      return { kind: 'refused', hash, refusal: { code: 'TYPE_NOT_SUPPORTED', type: DEPOSIT_TYPE } }
    }
    const isUnsigned = isMalleable(transaction) || impersonatedSender(transaction) !== undefined
    const from = isUnsigned ? undefined : (recovered ?? (await senders.recover(transaction)))
    const received = withSender(transaction, from)
    return {
      kind: 'transaction',
      transaction: mustBeExecutable ? Object.assign(received, { mustBeExecutable }) : received,
    }
  } catch (error) {
    if (!(error instanceof TransactionDecodeError)) throw error
    return { kind: 'refused', hash, refusal: refusalOf(error, raw) }
  }
}

function refusalOf(error: TransactionDecodeError, raw: Bytes): SubmitRefusal {
  switch (error.code) {
    case 'TYPE_NOT_SUPPORTED':
      return { code: 'TYPE_NOT_SUPPORTED', type: raw[0]! }
    case 'INVALID_SIGNATURE':
      return { code: 'INVALID_SIGNATURE', reason: error.message }
    default:
      return { code: 'UNDECODABLE', reason: error.message }
  }
}
