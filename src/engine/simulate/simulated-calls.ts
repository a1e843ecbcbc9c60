import type { Log } from '../../chain/receipt/log.ts'
import type { ConsensusReceipt } from '../../chain/receipt/receipt-codec.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { Address } from '../../primitives/hex.ts'
import { type AsyncSteps, awaited } from '../../primitives/maybe-promise.ts'
import { type CallRequest, callRequestError, smaller, withDefaults } from '../call/call-message.ts'
import { decodeRevertReason } from '../call/revert-reason.ts'
import type { Call, CallChecks, Executed, MayContinue, Session, Writable } from '../types.ts'
import { simulatedTransaction } from './simulated-transaction.ts'
import type { CallError } from './simulation.ts'
import type { SimulationError } from './simulation-error.ts'

/** Emitter of the logs that stand for transfers of ether (`eth_simulateV1` with `traceTransfers`). */
export const TRANSFER_LOG_ADDRESS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address

const SUCCEEDED = { status: 1 } as const
const FAILED = { status: 0 } as const

/** A call and the transaction that it stands for. */
export interface ExecutedCall {
  /** Without its hash until the block is complete. */
  readonly transaction: Writable<RecoveredTransaction>
  /** As in a real block, without traced transfers. The bloom is computed when it is encoded. */
  readonly receipt: Omit<ConsensusReceipt, 'logsBloom'>
  readonly result: Executed
  /** With traced transfers. */
  readonly logs: readonly Log[]
  readonly error?: CallError
}

export type ExecutedCalls =
  | { readonly kind: 'executed'; readonly calls: readonly ExecutedCall[] }
  | { readonly kind: 'failed'; readonly error: SimulationError }

export interface CallsContext {
  readonly chainId: bigint
  /** Gas left for the whole request. */
  readonly gas: bigint
  readonly validation: boolean
  readonly traceTransfers: boolean
  readonly mayContinue: MayContinue
  /** Called with each result. */
  readonly onExecuted: ((result: Executed) => void) | undefined
}

/** Runs the calls of a block in order; the first invalid one ends the simulation. */
export function* executeCalls(
  session: Session,
  requests: readonly CallRequest[],
  context: CallsContext,
): AsyncSteps<ExecutedCalls> {
  const checks = callChecks(context.validation)
  const calls: ExecutedCall[] = []
  let gasUsed = 0
  for (const request of requests) {
    // `mayContinue` was just called for the block.
    if (calls.length > 0 && !(yield* awaited(context.mayContinue()))) {
      return { kind: 'failed', error: { code: 'TIMEOUT' } }
    }
    const invalid = callRequestError(request, context.chainId)
    if (invalid !== undefined) return { kind: 'failed', error: { code: 'INVALID_REQUEST', error: invalid } }
    const remaining = session.env.gasLimit - BigInt(gasUsed)
    const required = request.gas ?? remaining
    if (required > remaining) return { kind: 'failed', error: { code: 'BLOCK_GAS_EXCEEDED', remaining, required } }
    const budget = context.gas - BigInt(gasUsed)
    const call: Writable<Call> = withDefaults(request, smaller(required, budget))
    const nonce = call.nonce ?? session.state.account(call.from)?.nonce ?? 0n
    // Without nonce checks, the state counts from its own nonce, whatever the call says (as in go-ethereum).
    if (context.validation) call.nonce = nonce
    else if (call.nonce !== undefined) delete call.nonce
    const result = yield* awaited(session.call(call, checks))
    if (result.kind === 'invalid') {
      return { kind: 'failed', error: { code: 'INVALID_TRANSACTION', error: result.error, gasLimit: call.gasLimit } }
    }
    context.onExecuted?.(result)
    const transaction = simulatedTransaction(request, call, nonce, context.chainId)
    gasUsed += result.gasUsed
    const logs = context.traceTransfers ? withoutTransfers(result.logs) : result.logs
    const outcome = result.status === 'success' ? SUCCEEDED : FAILED
    const receipt = { type: transaction.type, outcome, cumulativeGasUsed: gasUsed, logs }
    const error = errorOf(result)
    const executed: Writable<ExecutedCall> = { transaction, receipt, result, logs: result.logs }
    if (error !== undefined) executed.error = error
    calls.push(executed)
  }
  return { kind: 'executed', calls }
}

/**
 * Funds for the offered fees are always checked. Validation adds the checks of a transaction: nonce, base fee, and a
 * sender without code (EIP-3607). That one comes last: the recorded answers of execution-apis report too low a fee
 * first.
 */
function callChecks(validation: boolean): CallChecks {
  return { nonce: validation, baseFee: validation, senderWithoutCode: validation ? 'last' : false, gasFunds: true }
}

/** Traced transfers are not part of blooms and receipts. */
function withoutTransfers(logs: readonly Log[]): readonly Log[] {
  return logs.filter(({ address }) => address !== TRANSFER_LOG_ADDRESS)
}

function errorOf(result: Executed): CallError | undefined {
  if (result.status === 'success') return undefined
  if (result.status === 'revert') return { kind: 'reverted', reason: decodeRevertReason(result.output) }
  return { kind: 'halted', reason: result.halt ?? 'out of gas' }
}
