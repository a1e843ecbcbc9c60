export type TransactionDecodeErrorCode =
  | 'EMPTY'
  | 'TOO_SHORT'
  | 'TYPE_NOT_SUPPORTED'
  | 'INVALID_RLP'
  | 'INVALID_SIGNATURE'

/** Bytes that are no transaction, or one that nobody can have signed. The message is for the client (spec-facts 8.3). */
export class TransactionDecodeError extends Error {
  override readonly name = 'TransactionDecodeError'
  readonly code: TransactionDecodeErrorCode

  constructor(code: TransactionDecodeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
