import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { impersonatedTransaction, signTransaction } from '../../chain/transaction/transaction-codec.ts'
import type { UnsignedTransaction } from '../../chain/transaction/transaction-payload.ts'
import type { CallRequest } from '../../engine/call/call-message.ts'
import type { SubmitResult } from '../../node/core/results.ts'
import type { Development } from '../../node/development/development.ts'
import type { SubmitMadeOptions } from '../../node/intake/submissions.ts'
import type { Address } from '../../primitives/hex.ts'
import type { Compat } from '../compat/compat.ts'
import type { WriteContext } from '../context.ts'
import { callError, submitError, unknownAccount } from '../errors.ts'
import { type FilledRequest, fillRequest } from './fill-request.ts'
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
export function sendTransaction(
  request: CallRequest,
  sending: Sending,
  options?: SubmitMadeOptions,
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
  { sign, isMined = true }: { readonly sign: Signer } & Partial<SubmitMadeOptions>,
  sending: Sending,
): Promise<PoolTransaction> {
  const { compat, context, development } = sending
  const from = request.from!
  const filled = await fillRequest({ ...request, from }, compat, context)
  checkFeeCap(filled, sending)
  const { chainId } = context.config
  return accepted(
    await development.submitMade(
      from,
      (nextNonce) => sign(unsignedTransaction(filled, nonceOf(filled, nextNonce, sending), chainId)),
      { isMined },
    ),
    context,
  )
}

/**
 * Anvil, and Hardhat while it mines each transaction at once, refuse what the next block cannot include. Others wait in
 * the pool for a lower base fee.
 *
 * @throws RpcError
 */
function checkFeeCap({ gasPrice, maxFeePerGas = 0n }: FilledRequest, { compat, context, development }: Sending): void {
  const refuses = compat === 'anvil' || (compat === 'hardhat' && isAuto(development))
  const { baseFeePerGas: floor = 0n } = context.node.view().head.pending.block.header
  const cap = gasPrice ?? maxFeePerGas
  if (!refuses || cap >= floor) return
  throw submitError({ code: 'FEE_CAP_BELOW_FLOOR', maxFeePerGas: cap, floor }, context.options.dialect)
}

/** @throws RpcError for a nonce gap, where Hardhat would wait for ever */
function nonceOf({ from, nonce, gas }: FilledRequest, nextNonce: bigint, { compat, development }: Sending): bigint {
  if (nonce === undefined) return nextNonce
  if (nonce <= nextNonce || compat !== 'hardhat' || !isAuto(development)) return nonce
  const error = { code: 'NONCE_TOO_HIGH', address: from, expected: nextNonce, actual: nonce } as const
  throw callError({ kind: 'invalid', error, gasLimit: gas })
}

function isAuto({ mining }: Development): boolean {
  return mining.mode.kind === 'on-demand' && mining.mode.auto
}

/** @throws RpcError when it was refused */
export function accepted(result: SubmitResult, { options }: Pick<WriteContext, 'options'>): PoolTransaction {
  if (result.kind === 'refused') throw submitError(result.refusal, options.dialect)
  return result.transaction
}
