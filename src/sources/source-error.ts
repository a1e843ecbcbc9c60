import { CodedError } from '../primitives/coded-error.ts'

/** Why sources are not verified, as Sourcify's API names it where it has a name. */
export type SourceErrorReason =
  | 'already_verified'
  | 'compiler_error'
  | 'contract_not_deployed'
  | 'contract_not_found_in_compiler_output'
  | 'invalid_parameter'
  | 'job_not_found'
  | 'no_match'
  | 'posting_not_allowed'
  | 'source_unreachable'
  | 'too_large'
  | 'too_many_jobs'
  | 'unsupported_chain'
  | 'unsupported_compiler_version'
  | 'unsupported_language'
  | 'internal_error'

/** Its message says what to do. */
export class VerificationError extends CodedError<SourceErrorReason> {
  override readonly name = 'VerificationError'
}

/** A method of the node refused a request; the message is for clients. */
export class NodeRequestError extends Error {
  override readonly name = 'NodeRequestError'
  /** `undefined`: the same request fails again. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs?: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfterMs = retryAfterMs
  }
}
