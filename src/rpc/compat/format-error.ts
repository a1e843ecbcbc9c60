import { RpcError } from '../protocol/errors.ts'
import { anvilError } from './anvil-errors.ts'
import type { Compat } from './compat.ts'
import type { FailedRequest } from './formatted-error.ts'
import { hardhatError } from './hardhat-errors.ts'

/**
 * An error as the node named by `compat` words it. Methods throw the same errors for each node, except for two about
 * log filters (`logs/log-lookup.ts`).
 *
 * @param compat `undefined`: go-ethereum's codes and texts, as methods throw them
 */
export function formatError(error: RpcError, compat: Compat | undefined, request: FailedRequest): RpcError {
  if (compat === undefined || error.reason?.kind === 'formatted') return error
  const formatted = compat === 'anvil' ? anvilError(error) : hardhatError(error, request)
  return new RpcError(formatted.code, formatted.message, formatted.data, { kind: 'formatted' })
}
