import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { impersonatedTransaction, signTransaction } from '../../chain/transaction/transaction-codec.ts'
import type { UnsignedTransaction } from '../../chain/transaction/transaction-payload.ts'
import type { CallRequest } from '../../engine/call/call-message.ts'
import type { Development } from '../../node/development/development.ts'
import type { SubmitMadeOptions } from '../../node/intake/submissions.ts'
import type { Address } from '../../primitives/hex.ts'
import { unknownAccount } from '../protocol/errors.ts'
import { assertIncludable } from './assert-includable.ts'
import { fillRequest } from './fill-request.ts'
import { accepted, type Sending } from './sending.ts'
import type { ExecutableOption } from './submit-signed.ts'
import { unsignedTransaction } from './unsigned-transaction.ts'

type SendOptions = Partial<SubmitMadeOptions> & ExecutableOption

/** Makes the transaction of an account from its unsigned form. */
type Signer = (unsigned: UnsignedTransaction) => PoolTransaction

/**
 * Fills in a request, signs or impersonates its sender, and submits it.
 *
 * @throws RpcError when the sender has no key and is not impersonated, or the transaction is refused
 */
export function sendTransaction(
  request: CallRequest,
  sending: Sending,
  options?: SendOptions,
): Promise<PoolTransaction> {
  const { development } = sending
  const from = senderOf(request, development)
  return send({ ...request, from }, { sign: accountSigner(from, development), ...options }, sending)
}

/** @throws RpcError when the sender of a request has no key and is not impersonated */
export function assertSender(request: CallRequest, development: Development): void {
  accountSigner(senderOf(request, development), development)
}

function senderOf({ from }: CallRequest, { accounts }: Development): Address | undefined {
  return from ?? accounts.signers[0]
}

/** Sends without a key and without asking whether the sender is impersonated. @throws RpcError */
export function sendUnsigned(request: CallRequest, sending: Sending): Promise<PoolTransaction> {
  const { from } = request
  if (from === undefined) throw unknownAccount()
  return send(request, { sign: (unsigned) => impersonatedTransaction(unsigned, from) }, sending)
}

/**
 * The signer of an account: its key, or impersonation.
 *
 * @throws RpcError `unknown account`
 */
export function accountSigner(from: Address | undefined, { accounts }: Pick<Development, 'accounts'>): Signer {
  const key = from && accounts.keyOf(from)
  if (key !== undefined) return (unsigned) => signTransaction(unsigned, key)
  if (from === undefined || !accounts.isImpersonated(from)) throw unknownAccount(from)
  return (unsigned) => impersonatedTransaction(unsigned, from)
}

async function send(
  request: CallRequest,
  { sign, isMined = true, mustBeExecutable = false }: { readonly sign: Signer } & SendOptions,
  sending: Sending,
): Promise<PoolTransaction> {
  const { conventions, context, development } = sending
  const from = request.from!
  const filled = await fillRequest({ ...request, from }, conventions, context)
  const { chainId } = context.config
  const make = (nextNonce: bigint) => {
    const transaction = sign(unsignedTransaction(filled, filled.nonce ?? nextNonce, chainId))
    assertIncludable(transaction, nextNonce, sending)
    return mustBeExecutable ? Object.assign(transaction, { mustBeExecutable }) : transaction
  }
  return accepted(await development.submitMade(from, make, { isMined }), context)
}
