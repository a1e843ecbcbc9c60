import type { Log } from '../chain/receipt/log.ts'
import type { AccessList } from '../chain/transaction/transaction.ts'
import type { Address, Bytes, Hash } from '../primitives/hex.ts'
import type { HaltReason } from './halt-reason.ts'
import type { LogEmission } from './log-emission.ts'

/** One top-level call or creation; nonce, gas payment and authorizations are already in the state. */
export interface Message {
  readonly from: Address
  /** `null` creates a contract at the sender's nonce minus one. */
  readonly to: Address | null
  /** What is left after the intrinsic gas. */
  readonly gasLimit: bigint
  /** Wei; the sender has it. */
  readonly value: bigint
  readonly data: Bytes
  /** Wei per gas, what GASPRICE returns. */
  readonly gasPrice: bigint
  readonly blobVersionedHashes: readonly Hash[]
  readonly accessList: AccessList
  /** Accounts that cost no cold access (EIP-2929), besides the active precompiles. */
  readonly warmAddresses: readonly Address[]
}

export interface MessageResult {
  readonly status: 'success' | 'revert' | 'halt'
  readonly halt?: HaltReason
  readonly gasLeft: bigint
  /**
   * Of a success that cannot have noticed how much gas it had: with any gas from this on it goes the same way, with less
   * it ends out of gas. Absent where that is not sure.
   */
  readonly neededGas?: bigint
  /** Gas that clearing storage earned, before the cap. */
  readonly refund: bigint
  readonly output: Bytes
  readonly logs: readonly Log[]
  /** Absent where the interpreter does not count: the oracle of the tests. */
  readonly emission?: LogEmission
  /** Accounts that are gone when the transaction ends (EIP-6780 applied). */
  readonly destroyed: readonly Address[]
  /** Accounts that are gone when the transaction ends if they are empty (EIP-161). */
  readonly touched: readonly Address[]
}

/** A slice of gas was used, and the message is not at its end. */
export const INTERRUPTED = Symbol('paused')

export type Interrupted = typeof INTERRUPTED

/** Runs code on the state of one session; what a failing message changed is undone. One message at a time. */
export interface Interpreter {
  /** A promise only from an interpreter that cannot answer at once: the oracle of the tests. */
  run(message: Message): MessageResult | Interrupted | Promise<MessageResult>
  /** Goes on with the message that paused. One that is never resumed has to be undone by reverting the state. */
  resume(): MessageResult | Interrupted
  /** What the last message paid the cold price for (EIP-2929), in frames that failed too; in no particular order. */
  coldAccesses(): AccessList
}

/** The processing of one message: yields what is to be run, goes on with what came out of it, returns the result. */
export type Execution<T> = Generator<Message, T, MessageResult>
