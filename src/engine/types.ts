import type { ChainConfig } from '../chain/forks/chain-config.ts'
import type { BlobSchedule, Fork } from '../chain/forks/forks.ts'
import type { Log } from '../chain/receipt/log.ts'
import type { AccessList, Authorization, RecoveredTransaction } from '../chain/transaction/transaction.ts'
import type { Address, Bytes, Hash } from '../primitives/hex.ts'
import type { MaybePromise } from '../primitives/maybe-promise.ts'
import type { StateDiff } from '../state/state-diff.ts'
import type { StateReader } from '../state/state-reader.ts'
import type { HaltReason } from './halt-reason.ts'
import type { LogEmission } from './log-emission.ts'
import type { Tracer } from './trace/tracer.ts'

/** The block that code runs in. */
export interface BlockEnv {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  readonly coinbase: Address
  /** Wei per gas; 0 before London. */
  readonly baseFee: bigint
  readonly difficulty: bigint
  readonly prevRandao: Hash
  /** Wei per blob gas. */
  readonly blobBaseFee: bigint
  readonly fork: Fork
  readonly blobSchedule?: BlobSchedule
}

/** A message that nobody signed: `eth_call`, estimates, simulations, system calls. */
export interface Call {
  readonly from: Address
  /** `null` creates a contract. */
  readonly to: Address | null
  readonly gasLimit: bigint
  readonly value: bigint
  readonly data: Bytes
  /** Given: the sender's nonce is set by it (contract address of a creation). */
  readonly nonce?: bigint
  /** Wei per gas; both 0 when nothing is to be paid. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly accessList: AccessList
  readonly authorizationList?: readonly Authorization[]
  readonly blobVersionedHashes?: readonly Hash[]
  readonly maxFeePerBlobGas?: bigint
}

/** Which rules of a signed transaction an unsigned call has to meet. */
export interface CallChecks {
  /** Sender's nonce equals the call's. */
  readonly nonce: boolean
  /** Fee cap at least the base fee; a call that pays nothing is let through when off. */
  readonly baseFee: boolean
  /** EIP-3607; `last` reports it only when nothing else is wrong. */
  readonly senderWithoutCode: boolean | 'last'
  /** The sender can pay gas x price (value is always checked). */
  readonly gasFunds: boolean
}

/** Why a message could not run at all; nothing changed. */
export type InvalidTransaction =
  | { readonly code: 'NONCE_TOO_LOW'; readonly address: Address; readonly expected: bigint; readonly actual: bigint }
  | { readonly code: 'NONCE_TOO_HIGH'; readonly address: Address; readonly expected: bigint; readonly actual: bigint }
  | { readonly code: 'NONCE_MAX'; readonly address: Address; readonly actual: bigint }
  | { readonly code: 'INSUFFICIENT_FUNDS'; readonly address: Address; readonly balance: bigint; readonly cost: bigint }
  | {
      readonly code: 'FEE_CAP_TOO_LOW'
      readonly address: Address
      readonly maxFeePerGas: bigint
      readonly baseFee: bigint
    }
  | {
      readonly code: 'TIP_ABOVE_FEE_CAP'
      readonly address: Address
      readonly maxPriorityFeePerGas: bigint
      readonly maxFeePerGas: bigint
    }
  | { readonly code: 'INTRINSIC_GAS_TOO_LOW'; readonly gasLimit: bigint; readonly needed: bigint }
  | { readonly code: 'FLOOR_DATA_GAS_TOO_LOW'; readonly gasLimit: bigint; readonly needed: bigint }
  | { readonly code: 'INITCODE_TOO_LARGE'; readonly size: number; readonly limit: number }
  | { readonly code: 'SENDER_NOT_EOA'; readonly address: Address; readonly codeHash: Hash }
  | { readonly code: 'TRANSACTION_TYPE_NOT_SUPPORTED'; readonly type: number }
  | { readonly code: 'BLOCK_GAS_EXCEEDED'; readonly gasLimit: bigint; readonly remaining: bigint }
  | { readonly code: 'GAS_ABOVE_CAP'; readonly gasLimit: bigint; readonly cap: bigint }
  | { readonly code: 'EMPTY_AUTHORIZATION_LIST' }
  | { readonly code: 'SET_CODE_CREATES' }
  | { readonly code: 'WRONG_CHAIN_ID'; readonly expected: bigint; readonly actual: bigint }
  | { readonly code: 'BLOB_FEE_CAP_TOO_LOW'; readonly maxFeePerBlobGas: bigint; readonly blobBaseFee: bigint }
  | { readonly code: 'INVALID_BLOBS'; readonly reason: string }

export interface Executed {
  readonly kind: 'executed'
  readonly status: 'success' | 'revert' | 'halt'
  readonly halt?: HaltReason
  /** After refunds and, from Prague on, at least the calldata floor (EIP-7623). */
  readonly gasUsed: number
  /** Before refunds. */
  readonly maxUsedGas: number
  /**
   * The gas limit from which on it succeeds in the same way, and below which it does not. Absent where the code may have
   * noticed how much gas it had.
   */
  readonly neededGasLimit?: bigint
  /** Return data or revert data. */
  readonly output: Bytes
  /** None when it failed. */
  readonly logs: readonly Log[]
  /** The order of emission, which has gaps where frames failed; absent where nobody counted. */
  readonly emission?: LogEmission
  /** Of a creation, also of one that failed. */
  readonly contractAddress: Address | null
  /** Wei per gas that was paid. */
  readonly effectiveGasPrice: bigint
  /** A deposit's sender nonce before (Regolith). */
  readonly depositNonce?: bigint
}

export type Result = Executed | { readonly kind: 'invalid'; readonly error: InvalidTransaction }

/** For objects that are made in steps: a member that may be absent is assigned, since spreading one takes longer than all the rest. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * State and caches stay here between the messages of a block. One message at a time: building a block is a
 * critical section. Everything that an `invalid` message touched is as it was before. A session whose messages are all
 * reverted again leaves what it read to the next one on the same state.
 */
export interface Session {
  readonly env: BlockEnv
  /** A transaction with all its rules; `remainingGas` is what the block still has room for. */
  execute(transaction: RecoveredTransaction, remainingGas: bigint): MaybePromise<Result>
  /** A call with the given rules; its effects stay in the session. */
  call(call: Call, checks: CallChecks): MaybePromise<Result>
  /** A system call (EIP-4788, EIP-2935, EIP-7002, EIP-7251): no fees, no nonce, 30M gas, from the system address. */
  systemCall(to: Address, data: Bytes): MaybePromise<Executed>
  /**
   * Accounts and slots that the last message that ran paid the cold price for (EIP-2929), in frames that failed too; in no
   * particular order, each account once.
   */
  coldAccesses(): AccessList
  /** Reads through everything executed so far. */
  readonly state: StateReader
  /** Applies changes that no message made (state overrides, withdrawals, genesis). */
  apply(diff: StateDiff): void
  /** Everything changed since the session was opened or since the last `takeDiff`. */
  takeDiff(): StateDiff
  /** Returns to the state at `checkpoint()`; checkpoints nest. */
  checkpoint(): void
  revert(): void
  commit(): void
  close(): void
}

/**
 * Asked during long work, so that others have their turn before it answers; `false` ends the work. Without it nothing
 * interrupts the work.
 */
export type MayContinue = () => boolean | Promise<boolean>

/** The caller's `mayContinue` answered no; the message left no trace. */
export class ExecutionStoppedError extends Error {
  override readonly name = 'ExecutionStoppedError'
  readonly code = 'EXECUTION_STOPPED'
}

export interface SessionOptions {
  /** Asked whenever a message has used another two million gas (10,000 of a session with a tracer). */
  readonly mayContinue?: MayContinue
  /** Value transfers appear as logs of 0xeee…e (`eth_simulateV1`). */
  readonly traceTransfers?: boolean
  /** Nobody reads the logs of results: there are none in them. */
  readonly withoutLogs?: boolean
  /** Precompiles that answer at another address, or (`null`: state overrides took their place) nowhere. */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address | null>
  /**
   * Asked before each message who is to be told what it does; `undefined`: nobody. A session with it runs on an
   * interpreter of its own kind, which is slower and pauses more often.
   */
  readonly tracer?: () => Tracer | undefined
}

/** Opens sessions. A sequencer and readers use separate engines. */
export interface Engine {
  readonly config: ChainConfig
  /** @param state stays as it is: what one session has read of it may serve another */
  open(env: BlockEnv, state: StateReader, options?: SessionOptions): Session
  /** Addresses of the precompiles of a fork. */
  precompiles(fork: Fork): ReadonlySet<Address>
}
