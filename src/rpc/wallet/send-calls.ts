import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { includesFork } from '../../chain/forks/forks.ts'
import { signAuthorization } from '../../chain/transaction/authorization.ts'
import type { Authorization } from '../../chain/transaction/transaction.ts'
import type { CallRequest } from '../../engine/call/call-message.ts'
import { estimateGas } from '../../engine/call/estimate-gas.ts'
import { delegationCode, delegationOf } from '../../engine/transaction/delegation.ts'
import { PENDING } from '../../node/view/block-reference.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { ReadContext } from '../context/reading.ts'
import { callError, RpcError, submitError } from '../protocol/errors.ts'
import { callSite } from '../queries/call-site.ts'
import { withFees } from '../sending/fill-request.ts'
import { accountSigner, sendTransaction } from '../sending/send-transaction.ts'
import { accepted, type Sending } from '../sending/sending.ts'
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
  /** Whether no call was refused after others were sent. */
  readonly isComplete: boolean
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
    const { hash } = await sendTransaction({ from, ...definedMembers(single) }, sending)
    return { transactions: [hash], isAtomic: true, isComplete: true }
  }
  const atomicity = atomicityOf(from, sending)
  const addressed = calls.flatMap(({ to, ...rest }) => (to === undefined ? [] : [{ to, ...rest }]))
  const canBatch = atomicity !== 'unsupported' && addressed.length === calls.length
  if (canBatch) {
    const hash = await sendBatch({ from, calls: addressed, isDelegated: atomicity === 'supported' }, sending)
    return { transactions: [hash], isAtomic: true, isComplete: true }
  }
  if (atomicRequired) {
    const reason = atomicity === 'unsupported' ? `${from} cannot delegate` : 'a batch cannot create contracts'
    throw walletError('atomicityNotSupported', `the calls cannot be atomic: ${reason}`)
  }
  return sendInOrder(from, calls, sending)
}

/** After a refusal later calls are not sent. @throws RpcError when the first call is refused */
async function sendInOrder(from: Address, calls: readonly BatchCall[], sending: Sending): Promise<SentCalls> {
  const transactions: Hash[] = []
  for (const call of calls) {
    try {
      transactions.push((await sendTransaction({ from, ...definedMembers(call) }, sending)).hash)
    } catch (error) {
      // The status of the bundle shows that it is incomplete; an error would hide the transactions that were sent.
      if (error instanceof RpcError && transactions.length > 0) {
        return { transactions, isAtomic: false, isComplete: false }
      }
      throw error
    }
  }
  return { transactions, isAtomic: false, isComplete: true }
}

function definedMembers({ to, data, value }: BatchCall): Pick<CallRequest, 'to' | 'data' | 'value'> {
  return { ...(to && { to }), ...(data && { data }), ...(value !== undefined && { value }) }
}

interface Batch {
  readonly from: Address
  readonly calls: readonly (BatchCall & { readonly to: Address })[]
  /** Whether the account delegates to the executor already. */
  readonly isDelegated: boolean
}

/** Installs the executor only for a transaction that the pool would accept. */
async function sendBatch({ from, calls, isDelegated }: Batch, sending: Sending): Promise<Hash> {
  const { context, development, conventions } = sending
  const { config, options } = context
  const request = { from, to: from, data: encodeExecute(calls) }
  const gas = await batchGas(request, context)
  const filled = { ...withFees(request, conventions, context), gas: isDelegated ? gas : gas + AUTHORIZATION_GAS }
  const sign = accountSigner(from, development)
  const make = (nonce: bigint) => {
    const authorization = isDelegated ? {} : { authorizationList: [authorizationOf(from, nonce, sending)] }
    return sign(unsignedTransaction({ ...filled, ...authorization }, nonce, config.chainId))
  }
  const refusal = await development.refusalOfMade(from, make)
  if (refusal !== undefined) throw submitError(refusal, options.dialect)
  if (codeOf(BATCH_EXECUTOR_ADDRESS, context).length === 0) {
    await development.state.setCode(BATCH_EXECUTOR_ADDRESS, BATCH_EXECUTOR_CODE)
  }
  return accepted(await development.submitMade(from, make), context).hash
}

/** @param nonce of the transaction, which uses it before the authorization is checked */
function authorizationOf(from: Address, nonce: bigint, { context, development }: Sending): Authorization {
  const { chainId } = context.config
  return signAuthorization(
    { chainId, address: BATCH_EXECUTOR_ADDRESS, nonce: nonce + 1n },
    development.accounts.keyOf(from)!,
  )
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
  const { callGasCap: gasCap, estimateInnerGas: innerGas } = options
  const estimate = await estimateGas(engine, env, state, request, { gasCap, innerGas, mayContinue })
  if (estimate.kind === 'estimated') return estimate.gas
  throw estimate.kind === 'invalid' ? callError({ ...estimate, gasLimit: gasCap }) : callError(estimate)
}

function codeOf(account: Address, { view }: Pick<ReadContext, 'view'>): Bytes {
  return view.code(view.head.pending.state, account)
}
