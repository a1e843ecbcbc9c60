/** Why an operation of the library failed. */
export type NodeErrorCode =
  /** An option or its value is unknown, or contradicts another; the message names it. */
  | 'INVALID_OPTION'
  /** The node cannot start with these options: the message says why, `cause` is the error. */
  | 'START_FAILED'
  /** The port or the address is not available. */
  | 'LISTEN_FAILED'
  /** `close` was called. */
  | 'NODE_CLOSED'
  /** The node has stopped because of an error, which is `cause`. */
  | 'NODE_FAILED'
  /** `revert` was called with the id of a snapshot that does not exist, or no longer. */
  | 'UNKNOWN_SNAPSHOT'

/** An error of the library itself. Errors of JSON-RPC methods are `ProviderRpcError`. */
export class NodeError extends Error {
  override readonly name = 'NodeError'
  readonly code: NodeErrorCode

  constructor(code: NodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** An error of a JSON-RPC method (EIP-1193): `code` and `data` are those of the response. */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError'
  readonly code: number
  /** The output of a reverted call, for example. */
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}
