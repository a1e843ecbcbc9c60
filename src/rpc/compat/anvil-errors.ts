import { RPC_CODES, type RpcError } from '../errors.ts'
import type { ErrorParts } from './formatted-error.ts'

/** Anvil's code and message for an error. */
export function anvilError(error: RpcError): ErrorParts {
  const { code, message, data, reason } = error
  switch (reason?.kind) {
    case 'unknownMethod':
      return { code: RPC_CODES.methodNotFound, message: 'Method not found' }
    default:
      return { code, message, data }
  }
}
