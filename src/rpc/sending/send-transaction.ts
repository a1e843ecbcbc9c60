import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { impersonatedTransaction, signTransaction } from '../../chain/transaction/transaction-codec.ts'
import type { UnsignedTransaction } from '../../chain/transaction/transaction-payload.ts'
import type { CallRequest } from '../../engine/call/call-message.ts'
import type { SubmitResult } from '../../node/core/results.ts'
import type { Development } from '../../node/development/development.ts'
import type { Address } from '../../primitives/hex.ts'
import type { Compat } from '../compat/compat.ts'
import type { WriteContext } from '../context.ts'
import { submitError, unknownAccount } from '../errors.ts'
import { fillRequest } from './fill-request.ts'
import { unsignedTransaction } from './unsigned-transaction.ts'

export interface Sending {
  readonly compat: Compat | undefined
  readonly context: WriteContext
  readonly development: Development
}

/** Makes the transaction of an account from its unsigned form. */
type Signer = (unsigned: UnsignedTransaction) => PoolTransaction

/**
 * Fills in a request, signs or impersonates its sender, and submits it.
 *
 * @throws RpcError when the sender has no key and is not impersonated, or the transaction is refused
 */
export function sendTransaction(request: CallRequest, sending: Sending): Promise<PoolTransaction> {
  const { development } = sending
  const from = request.from ?? development.accounts.signers[0]
  return send({ ...request, from }, signerOf(from, development), sending)
}

/** Sends without a key and without asking whether the sender is impersonated. @throws RpcError */
export function sendUnsigned(request: CallRequest, sending: Sending): Promise<PoolTransaction> {
  const { from } = request
  if (from === undefined) throw unknownAccount()
  return send(request, (unsigned) => impersonatedTransaction(unsigned, from), sending)
}

/**
 * The signer of an account: its key, or impersonation.
 *
 * @throws RpcError `unknown account`
 */
function signerOf(from: Address | undefined, { accounts }: Pick<Development, 'accounts'>): Signer {
  const key = from && accounts.keyOf(from)
  if (key !== undefined) return (unsigned) => signTransaction(unsigned, key)
  if (from === undefined || !accounts.isImpersonated(from)) throw unknownAccount(from)
  return (unsigned) => impersonatedTransaction(unsigned, from)
}

async function send(request: CallRequest, sign: Signer, sending: Sending): Promise<PoolTransaction> {
  const { compat, context, development } = sending
  const from = request.from!
  const filled = await fillRequest({ ...request, from }, compat, context)
  const { chainId } = context.config
  return accepted(
    await development.submitMade(from, (nextNonce) =>
      sign(unsignedTransaction(filled, request.nonce ?? nextNonce, chainId)),
    ),
    context,
  )
}

/** @throws RpcError when it was refused */
export function accepted(result: SubmitResult, { options }: Pick<WriteContext, 'options'>): PoolTransaction {
  if (result.kind === 'refused') throw submitError(result.refusal, options.dialect)
  return result.transaction
}
