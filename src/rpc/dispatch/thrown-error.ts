import { ExecutionStoppedError } from '../../engine/types.ts'
import { damagedTableOf } from '../../node/core/damaged-data.ts'
import { ReplicaError } from '../../node/following/replica-error.ts'
import { damagedData, executionTimeout, forkError, RPC_CODES, RpcError } from '../errors.ts'

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
  if (isHistoryPruned(error)) return new RpcError(RPC_CODES.historyPruned, 'pruned history unavailable')
  if (error instanceof ReplicaError) return new RpcError(RPC_CODES.server, error.message)
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

/** State older than the history is pruned; blocks, receipts and logs are not. */
function isHistoryPruned(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'HISTORY_PRUNED'
}
