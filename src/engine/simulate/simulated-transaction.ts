import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { createTransaction } from '../../chain/transaction/transaction-codec.ts'
import { accessListItem, unsignedPayload } from '../../chain/transaction/transaction-payload.ts'
import { queueHash } from '../../primitives/batched-hashes.ts'
import { type Address, EMPTY_BYTES, type Hash, hexWithin, ZERO_HASH } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import {
  endList,
  keepEncoding,
  pushBigint,
  pushBytes,
  pushEncoded,
  pushHex,
  pushNumber,
  pushType,
  startReused,
  startTransient,
} from '../../primitives/rlp-parts.ts'
import { pushItem } from '../../primitives/rlp-writer.ts'
import type { CallRequest } from '../call/call-message.ts'
import type { Call, Writable } from '../types.ts'

const HASH_BYTES = 32
const NO_SIGNATURE = { r: 0n, s: 0n, yParity: 0 } as const

/**
 * The transaction that a simulated call stands for: type 2 unless the members of the request imply another one, with a
 * zero signature. Its hash is set later (`queueTransactionHashes`): those of a block are computed in one batch.
 *
 * @param call as executed
 * @param nonce as executed
 */
export function simulatedTransaction(
  request: CallRequest,
  call: Call,
  nonce: bigint,
  chainId: bigint,
): Writable<RecoveredTransaction> {
  const { from, to, gasLimit, value, data, accessList, authorizationList, blobVersionedHashes } = call
  if (authorizationList === undefined && blobVersionedHashes === undefined && request.gasPrice === undefined) {
    return dynamicFeeTransaction(call, nonce, chainId)
  }
  const { maxFeePerGas, maxPriorityFeePerGas } = call
  const common = { nonce, gasLimit, value, data, accessList, signature: NO_SIGNATURE, chainId }
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  // Types 3 and 4 cannot create: the engine rejects them.
  const recipient = to as Address
  if (authorizationList !== undefined) {
    return { ...createTransaction({ type: 4, ...common, ...fees, to: recipient, authorizationList }), from }
  }
  if (blobVersionedHashes !== undefined) {
    const blobs = { blobVersionedHashes, maxFeePerBlobGas: call.maxFeePerBlobGas ?? 0n }
    return { ...createTransaction({ type: 3, ...common, ...fees, to: recipient, ...blobs }), from }
  }
  if (request.accessList !== undefined) {
    return { ...createTransaction({ type: 1, ...common, gasPrice: maxFeePerGas, to }), from }
  }
  return legacyTransaction(call, nonce)
}

/** Fast path: one object literal. */
function dynamicFeeTransaction(call: Call, nonce: bigint, chainId: bigint): Writable<RecoveredTransaction> {
  const transaction: Writable<RecoveredTransaction & { type: 2 }> = {
    type: 2,
    chainId,
    nonce,
    maxPriorityFeePerGas: call.maxPriorityFeePerGas,
    maxFeePerGas: call.maxFeePerGas,
    gasLimit: call.gasLimit,
    to: call.to,
    value: call.value,
    data: call.data,
    accessList: call.accessList,
    signature: NO_SIGNATURE,
    from: call.from,
    hash: ZERO_HASH,
    raw: EMPTY_BYTES,
  }
  startReused()
  pushDynamicFee(transaction)
  transaction.raw = keepEncoding()
  return transaction
}

/** Writes the envelope, last member first, in the order of `payload`. */
function pushDynamicFee(transaction: RecoveredTransaction & { readonly type: 2 }): void {
  const { signature, accessList, to } = transaction
  pushBigint(signature.s)
  pushBigint(signature.r)
  pushNumber(signature.yParity)
  pushItem(accessListItem(accessList))
  pushBytes(transaction.data)
  pushBigint(transaction.value)
  pushHex(to ?? '0x')
  pushBigint(transaction.gasLimit)
  pushBigint(transaction.maxFeePerGas)
  pushBigint(transaction.maxPriorityFeePerGas)
  pushBigint(transaction.nonce)
  pushBigint(transaction.chainId)
  endList(0)
  pushType(transaction.type)
}

/** `v` is zero too, which no signed legacy transaction has: hence not by the codec. */
function legacyTransaction(call: Call, nonce: bigint): Writable<RecoveredTransaction> {
  const { from, to, gasLimit, value, data, maxFeePerGas } = call
  const fields = { type: 0, chainId: undefined, nonce, gasPrice: maxFeePerGas, gasLimit, to, value, data } as const
  const raw = encodeRlp([...unsignedPayload(fields), EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES])
  return { ...fields, signature: NO_SIGNATURE, raw, hash: ZERO_HASH, from }
}

/**
 * Queues the transactions for hashing (`primitives/batched-hashes`).
 *
 * @returns sets the hashes, once they are computed
 */
export function queueTransactionHashes(transactions: readonly Writable<RecoveredTransaction>[]): () => void {
  const digests = Buffer.allocUnsafe(HASH_BYTES * transactions.length)
  transactions.forEach(({ raw }, index) => {
    startTransient()
    pushEncoded(raw)
    queueHash(digests, HASH_BYTES * index)
  })
  return () => {
    transactions.forEach((transaction, index) => {
      transaction.hash = hexWithin(digests, HASH_BYTES * index, HASH_BYTES * (index + 1)) as Hash
    })
  }
}
