import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { CallRequest } from '../../engine/call/call-message.ts'
import { EMPTY_BYTES } from '../../primitives/hex.ts'
import { RPC_CODES, RpcError, unknownAccount } from '../protocol/errors.ts'
import { sendTransaction } from './send-transaction.ts'
import type { Sending } from './sending.ts'

/** Values that replace those of the transaction; 0 and `undefined` keep them. */
export interface ResentValues {
  readonly gasPrice: bigint | undefined
  readonly gas: bigint | undefined
}

/**
 * Replaces a transaction of the pool (go-ethereum, `eth_resend`). It is found by sender, nonce, recipient, value and
 * data.
 *
 * @throws RpcError when there is none, or the replacement is refused
 */
export function resendTransaction(
  request: CallRequest,
  { gasPrice = 0n, gas = 0n }: ResentValues,
  sending: Sending,
): Promise<PoolTransaction> {
  const { context, development } = sending
  const { nonce } = request
  const from = request.from ?? development.accounts.signers[0]
  if (nonce === undefined) {
    throw new RpcError(RPC_CODES.invalidParams, 'missing transaction nonce in transaction spec')
  }
  if (from === undefined) throw unknownAccount()
  const entry = context.view.pool
    .bySender(from)
    .find(({ transaction }) => transaction.nonce === nonce && hasContent(transaction, request))
  if (entry === undefined) {
    throw new RpcError(RPC_CODES.server, `the pool has no such transaction with nonce ${nonce} of ${from}`)
  }
  const fees = gasPrice === 0n ? {} : { gasPrice, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
  const gasLimit = gas === 0n ? (request.gas ?? entry.transaction.gasLimit) : gas
  return sendTransaction({ ...request, from, ...fees, gas: gasLimit }, sending)
}

function hasContent(pooled: PoolTransaction, { to = null, value = 0n, data = EMPTY_BYTES }: CallRequest): boolean {
  return pooled.to === to && pooled.value === value && Buffer.compare(pooled.data, data) === 0
}
