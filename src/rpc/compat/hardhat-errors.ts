import type { RpcError } from '../errors.ts'
import type { Json } from '../json.ts'
import type { ErrorParts, FailedRequest } from './formatted-error.ts'

/** Hardhat's code of an unsupported method (EIP-1474). */
const METHOD_NOT_SUPPORTED = -32004

/** Hardhat's code, message and data for an error: `data` has the message again. */
export function hardhatError(error: RpcError, { method, params }: FailedRequest): ErrorParts {
  const { code, message, data, reason } = error
  switch (reason?.kind) {
    case 'unknownMethod':
      return withData(METHOD_NOT_SUPPORTED, `Method ${method.slice(0, 100)} is not supported`)
    case 'invalidParams':
      return withData(code, message, { method, params: params as Json })
    default:
      return withData(code, message, data)
  }
}

function withData(code: number, message: string, data: Json = null): ErrorParts {
  return { code, message, data: { message, data } }
}
