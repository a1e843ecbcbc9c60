import { RPC_CODES, type RpcError } from '../errors.ts'
import type { Json } from '../json.ts'

/** Code, message and data of an error. */
export interface ErrorParts {
  readonly code: number
  readonly message: string
  readonly data?: Json | undefined
}

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
