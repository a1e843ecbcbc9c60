import { foreignText } from '../primitives/text/foreign-text.ts'

interface ErrorDetails {
  readonly rpcCode?: number
  readonly data?: unknown
  readonly cause?: unknown
  readonly status?: number
}

/** A request that the node refused or that did not reach it. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly code: 'REFUSED' | 'UNREACHABLE' | 'INVALID_RESPONSE'
  /** Code of the JSON-RPC error, when the node refused the request. */
  readonly rpcCode: number | undefined
  /** HTTP status of a response that is no JSON. */
  readonly status: number | undefined
  /** Data of the JSON-RPC error, such as the output of a reverted call. */
  readonly data: unknown

  constructor(code: RequestError['code'], message: string, more: ErrorDetails = {}) {
    super(message, { cause: more.cause })
    this.code = code
    this.rpcCode = more.rpcCode
    this.data = more.data
    this.status = more.status
  }

  /** Whether the node does not have the method. Hardhat's node says so with -32004. */
  get isUnknownMethod(): boolean {
    return this.rpcCode === -32601 || (this.rpcCode === -32004 && this.message.includes('not supported'))
  }
}

/** The error member of a JSON-RPC response, which may have any shape. */
export function refusalOf(error: unknown): RequestError {
  const { code, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown }
  const text = typeof message === 'string' ? foreignText(message) : 'the node refused the request without a message'
  return new RequestError('REFUSED', text, { ...(typeof code === 'number' && { rpcCode: code }), data })
}

/** Text of any error for people. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
