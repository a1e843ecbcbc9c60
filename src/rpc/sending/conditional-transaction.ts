import { decodeSentTransaction } from '../../chain/transaction/blob-sidecar.ts'
import { CONDITIONAL_TYPE, EXECUTABLE_PREFIX } from '../../chain/transaction/conditional-transaction.ts'
import type { SignedTransaction } from '../../chain/transaction/transaction.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import { lastValidBlock, type ValidityPredicate } from '../../chain/transaction/validity.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { SendContext } from '../context/sending.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { accepted } from './sending.ts'

/** Milliseconds for which a transaction with validity predicates may wait. */
const WINDOW_MS = 60_000
const TYPES: readonly number[] = [0, 1, 2]

/** @throws RpcError -32602 */
export function assertValidity(validity: readonly ValidityPredicate[], context: SendContext): void {
  const fault = validityFault(validity, context)
  if (fault !== undefined) throw new RpcError(RPC_CODES.invalidParams, fault)
}

/** The errors of base/base; those of the bound on `block_number` are this node's own. */
function validityFault(
  validity: readonly ValidityPredicate[],
  { view, blockTimeSeconds }: SendContext,
): string | undefined {
  if (validity.length === 0) return 'validity predicates must not be empty'
  const outside = validity.findIndex((one) => one.type === 'storage' && (one.value & ~one.mask) !== 0n)
  if (outside >= 0) return `storage predicate at index ${outside} has value bits set outside its mask`
  const last = lastValidBlock(validity)
  if (last === undefined) return 'validity predicates must bound block_number from above, with <, <= or ='
  const { latest } = view.head.sealed
  if (last <= BigInt(latest)) return `the block_number bound ${last} is in the past: the newest block is ${latest}`
  const highest = BigInt(latest + Math.ceil(WINDOW_MS / (1_000 * blockTimeSeconds)))
  if (last <= highest) return undefined
  return `the block_number bound ${last} is beyond ${highest}, the last block of the next ${WINDOW_MS / 1_000} seconds`
}

/** @throws RpcError -32602 unless the bytes are a transaction that may have validity predicates */
export function decodedForValidity(raw: Bytes): SignedTransaction {
  try {
    const transaction = decodeSentTransaction(raw)
    if (TYPES.includes(transaction.type)) return transaction as SignedTransaction
    throw new TransactionDecodeError('TYPE_NOT_SUPPORTED', `type ${transaction.type} cannot have validity predicates`)
  } catch (error) {
    if (!(error instanceof TransactionDecodeError)) throw error
    throw new RpcError(RPC_CODES.invalidParams, `failed to decode transaction: ${error.message}`)
  }
}

/** Refuses the forms in which processes pass on transactions with conditions. @throws RpcError */
export function assertSentByClient(raw: Bytes, context: SendContext): void {
  const type = raw[0]
  if (type !== CONDITIONAL_TYPE && type !== EXECUTABLE_PREFIX) return
  accepted({ kind: 'refused', hash: undefined, refusal: { code: 'TYPE_NOT_SUPPORTED', type } }, context)
}
