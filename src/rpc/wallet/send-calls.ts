import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { includesFork } from '../../chain/forks/forks.ts'
import { signAuthorization } from '../../chain/transaction/authorization.ts'
import { signTransaction } from '../../chain/transaction/transaction-codec.ts'
import type { CallRequest } from '../../engine/call/call-message.ts'
import { estimateGas } from '../../engine/call/estimate-gas.ts'
import { delegationCode, delegationOf } from '../../engine/transaction/delegation.ts'
import { PENDING } from '../../node/core/block-reference.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { ReadContext } from '../context.ts'
import { callError } from '../errors.ts'
import { callSite } from '../queries/call-site.ts'
import { withFees } from '../sending/fill-request.ts'
import { accepted, type Sending, sendTransaction } from '../sending/send-transaction.ts'
import { unsignedTransaction } from '../sending/unsigned-transaction.ts'
import { BATCH_EXECUTOR_ADDRESS, BATCH_EXECUTOR_CODE, type BatchCall, encodeExecute } from './batch-executor.ts'
import { walletError } from './wallet-errors.ts'

/** Gas of an authorization (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000n

/** What a chain and an account can do with a batch (EIP-5792, capability `atomic`). */
export type Atomicity = 'supported' | 'ready' | 'unsupported'

/** Sent calls: one transaction if they are atomic, otherwise one per call. */
export interface SentCalls {
  readonly transactions: readonly Hash[]
  readonly isAtomic: boolean
}

/** `ready`: the account becomes able with its first batch, by a delegation that the node signs (EIP-7702). */
export function atomicityOf(account: Address, { context, development }: Sending): Atomicity {
  if (delegationOf(codeOf(account, context)) === BATCH_EXECUTOR_ADDRESS) return 'supported'
  const { number, timestamp } = context.view.head.pending.block.header
  const hasDelegation = includesFork(forkAt(context.config, number, timestamp), 'prague')
  return hasDelegation && development.accounts.keyOf(account) !== undefined ? 'ready' : 'unsupported'
}

/**
 * Sends the calls of an account: together if they can be atomic, otherwise in order.
 *
 * @throws RpcError when they have to be atomic and cannot, or are refused
 */
export async function sendCalls(
  { from, calls, atomicRequired }: { from: Address; calls: readonly BatchCall[]; atomicRequired: boolean },
  sending: Sending,
): Promise<SentCalls> {
  const [single] = calls
  if (single !== undefined && calls.length === 1) {
    return {
      transactions: [(await sendTransaction({ from, ...definedMembers(single) }, sending)).hash],
      isAtomic: true,
    }
  }
  const atomicity = atomicityOf(from, sending)
  const addressed = calls.flatMap(({ to, ...rest }) => (to === undefined ? [] : [{ to, ...rest }]))
  const canBatch = atomicity !== 'unsupported' && addressed.length === calls.length
  if (canBatch) return { transactions: [await sendBatch(from, addressed, atomicity, sending)], isAtomic: true }
  if (atomicRequired) {
    const reason = atomicity === 'unsupported' ? `${from} cannot delegate` : 'a batch cannot create contracts'
    throw walletError('atomicityNotSupported', `the calls cannot be atomic: ${reason}`)
  }
  const transactions: Hash[] = []
  for (const call of calls) {
    transactions.push((await sendTransaction({ from, ...definedMembers(call) }, sending)).hash)
  }
  return { transactions, isAtomic: false }
}

function definedMembers({ to, data, value }: BatchCall): Pick<CallRequest, 'to' | 'data' | 'value'> {
  return { ...(to && { to }), ...(data && { data }), ...(value !== undefined && { value }) }
}

async function sendBatch(
  from: Address,
  calls: readonly (BatchCall & { readonly to: Address })[],
  atomicity: Atomicity,
  sending: Sending,
): Promise<Hash> {
  const { context, development, compat } = sending
  const request = { from, to: from, data: encodeExecute(calls) }
  const gas = await batchGas(request, context)
  if (codeOf(BATCH_EXECUTOR_ADDRESS, context).length === 0) {
    await development.state.setCode(BATCH_EXECUTOR_ADDRESS, BATCH_EXECUTOR_CODE)
  }
  const key = development.accounts.keyOf(from)
  if (atomicity === 'supported' || key === undefined) return (await sendTransaction({ ...request, gas }, sending)).hash
  const filled = { ...withFees(request, compat, context), gas: gas + AUTHORIZATION_GAS }
  const { chainId } = context.config
  const submitted = await development.submitMade(from, (nonce) => {
    // The transaction itself uses the nonce before.
    const authorization = signAuthorization({ chainId, address: BATCH_EXECUTOR_ADDRESS, nonce: nonce + 1n }, key)
    return signTransaction(unsignedTransaction({ ...filled, authorizationList: [authorization] }, nonce, chainId), key)
  })
  return accepted(submitted, context).hash
}

/**
 * Gas of a batch without its authorization, as if executor and delegation were there.
 *
 * @throws RpcError when a call fails
 */
async function batchGas(request: CallRequest & { readonly from: Address }, context: ReadContext): Promise<bigint> {
  const { engine, options, mayContinue } = context
  const delegated = new Map([
    [BATCH_EXECUTOR_ADDRESS, { code: BATCH_EXECUTOR_CODE }],
    [request.from, { code: delegationCode(BATCH_EXECUTOR_ADDRESS) }],
  ])
  const { env, state } = callSite(await context.forecast(), request, PENDING, delegated)
  const gasCap = options.callGasCap
  const estimate = await estimateGas(engine, env, state, request, { gasCap, mayContinue })
  if (estimate.kind === 'estimated') return estimate.gas
  throw estimate.kind === 'invalid' ? callError({ ...estimate, gasLimit: gasCap }) : callError(estimate)
}

function codeOf(account: Address, { view }: Pick<ReadContext, 'view'>): Bytes {
  return view.code(view.head.pending.state, account)
}
