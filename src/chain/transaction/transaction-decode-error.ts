export type TransactionDecodeErrorCode =
  | 'EMPTY'
  | 'TOO_SHORT'
  | 'TYPE_NOT_SUPPORTED'
  | 'INVALID_RLP'
  | 'INVALID_SIGNATURE'

/** Bytes that are not a transaction, or one with an invalid signature. The message is sent to the client. */
export class TransactionDecodeError extends Error {
  override readonly name = 'TransactionDecodeError'
  readonly code: TransactionDecodeErrorCode

  constructor(code: TransactionDecodeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
