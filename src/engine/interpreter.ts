import type { Log } from '../chain/receipt/log.ts'
import type { AccessList } from '../chain/transaction/transaction.ts'
import type { Address, Bytes, Hash } from '../primitives/hex.ts'
import type { HaltReason } from './halt-reason.ts'

/** One top-level call or creation. Nonce, gas payment and authorizations have been applied to the state. */
export interface Message {
  readonly from: Address
  /** `null` creates a contract at the sender's nonce minus one. */
  readonly to: Address | null
  /** Gas after the intrinsic gas. */
  readonly gasLimit: bigint
  /** Wei, covered by the sender's balance. */
  readonly value: bigint
  readonly data: Bytes
  /** Wei per gas, the result of GASPRICE. */
  readonly gasPrice: bigint
  readonly blobVersionedHashes: readonly Hash[]
  readonly accessList: AccessList
  /** Addresses without a cold access charge (EIP-2929), besides the active precompiles. */
  readonly warmAddresses: readonly Address[]
}

export interface MessageResult {
  readonly status: 'success' | 'revert' | 'halt'
  readonly halt?: HaltReason
  readonly gasLeft: bigint
  /**
   * Set for a success that cannot have observed its gas: it succeeds in the same way with any gas from this on, and
   * runs out of gas with less.
   */
  readonly neededGas?: bigint
  /** Inner calls and creations that ran out of gas; absent: none, or not counted (the test oracle). */
  readonly framesOutOfGas?: number
  /** Refund for cleared storage, before the cap. */
  readonly refund: bigint
  readonly output: Bytes
  readonly logs: readonly Log[]
  /** Absent if the interpreter does not count (the test oracle). */
  readonly emission?: LogEmission
  /** Accounts destroyed at the end of the transaction (EIP-6780 applied). */
  readonly destroyed: readonly Address[]
  /** Accounts removed at the end of the transaction if they are empty (EIP-161). */
  readonly touched: readonly Address[]
}

/** The message used its slice of gas and can be resumed. */
export const INTERRUPTED = Symbol('paused')

export type Interrupted = typeof INTERRUPTED

/** Runs code on the state of one session, one message at a time; a failing message is reverted. */
export interface Interpreter {
  /** Only the test oracle returns a promise. */
  run(message: Message): MessageResult | Interrupted | Promise<MessageResult>
  /**
   * Resumes an interrupted message, or one that waits for state. One that is never resumed must be undone by reverting
   * the state.
   */
  resume(): MessageResult | Interrupted
  /**
   * After a MissingStateError: whether the message can be resumed where it stopped. Otherwise it must start again.
   * Absent: never.
   */
  readonly isAwaitingState?: boolean
  /**
   * Accounts and slots with a cold access in the last message (EIP-2929), also in failed frames; in no particular
   * order.
   */
  coldAccesses(): AccessList
}

/**
 * Processing of a message as a generator: yields messages to run, resumes with their results, and returns the final
 * result.
 */
export type Execution<T> = Generator<Message, T, MessageResult>

/** Positions of logs among all that a message emitted, including those of failed frames. */
export interface LogEmission {
  /** One for each log of the result. */
  readonly positions: readonly number[]
  readonly count: number
}
