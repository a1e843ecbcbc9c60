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
  | 'too_many_jobs'
  | 'unsupported_chain'
  | 'unsupported_compiler_version'
  | 'unsupported_language'
  | 'internal_error'

/** Its message says what to do. */
export class VerificationError extends CodedError<SourceErrorReason> {
  override readonly name = 'VerificationError'
}
