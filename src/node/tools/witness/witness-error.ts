import { CodedError } from '../../../primitives/coded-error.ts'
export type WitnessErrorCode =
  /** The file is not a witness, or a member has another form. */
  | 'INVALID_WITNESS'
  /** Execution needs something that the file does not have. */
  | 'WITNESS_INCOMPLETE'

/** A witness that cannot be executed; the message names the member or what is missing. */
export class WitnessError extends CodedError<WitnessErrorCode> {
  override readonly name = 'WitnessError'
}
