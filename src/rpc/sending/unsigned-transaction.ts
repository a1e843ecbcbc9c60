import type { UnsignedTransaction } from '../../chain/transaction/transaction-payload.ts'
import { type Address, EMPTY_BYTES } from '../../primitives/hex.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { FilledRequest } from './fill-request.ts'

/**
 * The transaction that a filled request stands for: type 2 unless its members imply another one.
 *
 * @throws RpcError when it creates a contract with a type that cannot
 */
export function unsignedTransaction(request: FilledRequest, nonce: bigint, chainId: bigint): UnsignedTransaction {
  const { gas: gasLimit, to = null, value = 0n, data = EMPTY_BYTES, gasPrice } = request
  const { accessList, authorizationList, blobVersionedHashes, maxFeePerBlobGas = 0n } = request
  const common = { chainId, nonce, gasLimit, value, data }
  const fees = {
    maxFeePerGas: gasPrice ?? request.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: gasPrice ?? request.maxPriorityFeePerGas ?? 0n,
    accessList: accessList ?? [],
  }
  if (authorizationList !== undefined) {
    return { type: 4, ...common, ...fees, to: recipient(to), authorizationList }
  }
  if (blobVersionedHashes !== undefined) {
    return { type: 3, ...common, ...fees, to: recipient(to), blobVersionedHashes, maxFeePerBlobGas }
  }
  if (gasPrice === undefined) return { type: 2, ...common, ...fees, to }
  return accessList === undefined
    ? { type: 0, ...common, to, gasPrice }
    : { type: 1, ...common, to, gasPrice, accessList }
}

function recipient(to: Address | null): Address {
  if (to !== null) return to
  throw new RpcError(RPC_CODES.invalidParams, 'a transaction of this type cannot create a contract: give it a "to"')
}
