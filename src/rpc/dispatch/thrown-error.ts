import { ExecutionStoppedError } from '../../engine/types.ts'
import { damagedTableOf } from '../../node/core/damaged-data.ts'
import { ReplicaError } from '../../node/following/replica-error.ts'
import { NodeFailedError } from '../../node/intake/submissions.ts'
import { isFailedWrite } from '../../node/log/replicated-log.ts'
import {
  damagedData,
  executionTimeout,
  forkError,
  outcomeUnknown,
  RPC_CODES,
  RpcError,
  statePruned,
} from '../protocol/errors.ts'

/**
 * Converts an error that a method threw.
 *
 * @param options.callTimeoutMs milliseconds that a call may take
 * @returns `undefined` for an unexpected error
 */
export function toRpcError(
  error: unknown,
  { callTimeoutMs }: { readonly callTimeoutMs: number },
): RpcError | undefined {
  if (error instanceof RpcError) return error
  if (error instanceof ExecutionStoppedError) return executionTimeout(callTimeoutMs)
  const pruned = prunedErrorOf(error)
  if (pruned?.code === 'STATE_PRUNED') return statePruned(pruned)
  if (pruned?.code === 'BLOCK_PRUNED') return new RpcError(RPC_CODES.blockPruned, 'pruned history unavailable')
  if (error instanceof ReplicaError) return new RpcError(RPC_CODES.server, error.message)
  if (isFailedWrite(error)) return outcomeUnknown()
  if (error instanceof NodeFailedError) return new RpcError(RPC_CODES.server, error.message)
  const upstream = forkErrorOf(error)
  if (upstream !== undefined) return forkError(upstream)
  const table = damagedTableOf(error)
  return table === undefined ? undefined : damagedData(table)
}

/** An error about the node that this one forks. */
function forkErrorOf(error: unknown): { readonly code: string; readonly message: string } | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined
  return error.code.startsWith('FORK_') ? { code: error.code, message: error.message } : undefined
}

/** An error about a block that this node does not keep, or whose state it does not keep. */
function prunedErrorOf(error: unknown): { code: string; number: number; oldest: number } | undefined {
  const isPruned = error instanceof Error && 'code' in error && 'number' in error && 'oldest' in error
  if (!isPruned) return undefined
  const { code, number, oldest } = error
  return { code: `${code}`, number: Number(number), oldest: Number(oldest) }
}
