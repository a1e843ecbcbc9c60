import { ExecutionStoppedError } from '../../engine/types.ts'
import { ReplicaError } from '../../node/roles/follower/replica-error.ts'
import { executionTimeout, RPC_CODES, RpcError } from '../errors.ts'

/**
 * What a client is told of an error that a method threw.
 *
 * @param options.callTimeout milliseconds that a call may take
 * @returns `undefined`: nobody expected it
 */
export function toRpcError(error: unknown, { callTimeout }: { readonly callTimeout: number }): RpcError | undefined {
  if (error instanceof RpcError) return error
  if (error instanceof ExecutionStoppedError) return executionTimeout(callTimeout)
  if (isHistoryPruned(error)) return new RpcError(RPC_CODES.historyPruned, 'pruned history unavailable')
  if (error instanceof ReplicaError) return new RpcError(RPC_CODES.server, error.message)
  return undefined
}

/** The state that a request asked for is not kept any more; blocks, receipts and logs are. */
function isHistoryPruned(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'HISTORY_PRUNED'
}
