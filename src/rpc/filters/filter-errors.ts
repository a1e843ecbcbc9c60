import type { NodeConventions } from '../compat/node-conventions.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'

/** go-ethereum's message: clients create a new filter when they read it. */
export function filterNotFound(): RpcError {
  return new RpcError(RPC_CODES.server, 'filter not found')
}

/** The response for a filter that does not exist: null in Hardhat. @throws RpcError `filter not found` otherwise */
export function absentFilter({ isAbsentFilterNull }: NodeConventions['logs']): null {
  if (isAbsentFilterNull) return null
  throw filterNotFound()
}

/** The filter is removed instead of omitting changes. */
export function filterFellBehind(): RpcError {
  return new RpcError(
    RPC_CODES.server,
    'filter not found: more has changed since it was polled last than is kept; create a new filter and ' +
      'poll it more often',
  )
}
