import { CodedError } from '../../primitives/coded-error.ts'
export type TransactionDecodeErrorCode =
  | 'EMPTY'
  | 'TOO_SHORT'
  | 'TYPE_NOT_SUPPORTED'
  | 'INVALID_RLP'
  | 'INVALID_SIGNATURE'

/** Bytes that are not a transaction, or one with an invalid signature. The message is sent to the client. */
export class TransactionDecodeError extends CodedError<TransactionDecodeErrorCode> {
  override readonly name = 'TransactionDecodeError'
}
