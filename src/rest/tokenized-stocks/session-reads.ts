import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import { decodeRevertReason } from '../../engine/call/revert-reason.ts'
import { ExecutionStoppedError, type Result, type Session } from '../../engine/types.ts'
import { type Address, type Bytes, ZERO_ADDRESS } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { BlockReads, CallResult, ContractCall } from './chain-source.ts'

const NO_CHECKS = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: false }

/** Limits of one read: those of `eth_call`. */
export interface ReadLimits {
  readonly callGasCap: bigint
  readonly callTimeoutMs: number
}

export interface SessionReadsDeps {
  /** Session on a block, opened by the first call; reverted after each. */
  readonly session: () => Session
  readonly code: (address: Address) => MaybePromise<Bytes>
  /** Called before each read. */
  readonly beginRead: () => Promise<void>
  readonly close: () => void
}

/** Reads on a session of the engine. */
export function sessionReads(limits: ReadLimits, deps: SessionReadsDeps): BlockReads {
  const { session, code, beginRead, close } = deps
  return {
    call: (calls) => readInOrder(calls, beginRead, (call) => callAlone(session(), call, limits)),
    code: (addresses) => readInOrder(addresses, beginRead, code),
    close,
  }
}

async function readInOrder<I, O>(
  items: readonly I[],
  beginRead: () => Promise<void>,
  read: (item: I) => MaybePromise<O>,
): Promise<readonly O[]> {
  const results: O[] = []
  for (const item of items) {
    await beginRead()
    results.push(await read(item))
  }
  return results
}

/** Reverts the writes of the call. */
async function callAlone(session: Session, { to, data }: ContractCall, limits: ReadLimits): Promise<CallResult> {
  const call = {
    from: ZERO_ADDRESS,
    to,
    gasLimit: limits.callGasCap,
    value: 0n,
    data,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
  }
  session.checkpoint()
  try {
    return resultOf(await session.call(call, NO_CHECKS))
  } catch (error) {
    if (!(error instanceof ExecutionStoppedError)) throw error
    return failed(`execution aborted after ${limits.callTimeoutMs} ms`)
  } finally {
    session.revert()
  }
}

function resultOf(result: Result): CallResult {
  if (result.kind === 'invalid') return failed(invalidTransactionMessage(result.error))
  if (result.status === 'success') return { kind: 'returned', output: result.output }
  if (result.status === 'halt') return failed(result.halt ?? 'out of gas')
  const reason = decodeRevertReason(result.output)
  return failed(reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`, result.output)
}

function failed(message: string, data: Bytes = new Uint8Array(0)): CallResult {
  return { kind: 'failed', message, data }
}
