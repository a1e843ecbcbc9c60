import type { SubmitRefusal } from '../../node/core/results.ts'
import type { CallFailure } from '../errors.ts'

/** Structured cause of an error, from which the texts of other nodes derive. */
export type ErrorReason =
  | { readonly kind: 'unknownMethod' }
  | { readonly kind: 'invalidParams' }
  | { readonly kind: 'call'; readonly failure: CallFailure }
  | { readonly kind: 'submit'; readonly refusal: SubmitRefusal }
  /** Code, message and data are final: the process that ran the request has formatted them. */
  | { readonly kind: 'formatted' }
