import type { InvalidTransaction, SubmitRefusal } from '../../chain/transaction/refusal.ts'
import type { CallRequestError } from '../../engine/call/call-message.ts'
import type { StateOverrideError } from '../../engine/call/state-overrides.ts'
import type { HaltReason } from '../../engine/halt-reason.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'

/** Why a contract reverted without data at its entry, as its ABI shows it. */
export type EntryFailure =
  /** No function has the selector, and there is no fallback function. */
  | { readonly code: 'UNKNOWN_FUNCTION' }
  /** There is no calldata, and neither a receive nor a fallback function. */
  | { readonly code: 'NO_RECEIVE' }
  /** `value`: wei. */
  | { readonly code: 'FUNCTION_NOT_PAYABLE'; readonly value: bigint }
  | { readonly code: 'FALLBACK_NOT_PAYABLE'; readonly value: bigint; readonly wantsReceive: boolean }

/** Why a call failed: an invalid message, or a failed run. */
export type CallFailure =
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction | CallRequestError; readonly gasLimit: bigint }
  /** `entry`: present if `output` is empty, and artifacts show why. */
  | { readonly kind: 'reverted'; readonly output: Bytes; readonly entry?: EntryFailure | undefined }
  | { readonly kind: 'halted'; readonly reason: HaltReason }
  | { readonly kind: 'allowance'; readonly gas: bigint }
  | { readonly kind: 'overrides'; readonly error: StateOverrideError }

/** Why a transaction is not sent for an account. */
export type SendRefusal =
  /** The node neither has its key nor impersonates it; `undefined`: no account was named, and there is none. */
  { readonly code: 'UNKNOWN_ACCOUNT'; readonly address: Address | undefined } | { readonly code: 'EMPTY_CREATION' }

/** Structured cause of an error, from which the texts of other nodes derive. */
export type ErrorReason =
  | { readonly kind: 'unknownMethod' }
  | { readonly kind: 'invalidParams' }
  /** `requested`: its height or hash. */
  | { readonly kind: 'unknownBlock'; readonly requested: number | Hash; readonly latest: number }
  /** `transaction`: hash of a mined transaction; absent for calls and estimates. */
  | { readonly kind: 'call'; readonly failure: CallFailure; readonly transaction: Hash | undefined }
  | { readonly kind: 'send'; readonly refusal: SendRefusal }
  | { readonly kind: 'submit'; readonly refusal: SubmitRefusal }
  /** Code, message and data are final: the process that ran the request has formatted them. */
  | { readonly kind: 'formatted' }
