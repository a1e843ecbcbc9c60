import type { L1Fee } from '../chain/fees/l1-fee.ts'
import type { ChainConfig } from '../chain/forks/chain-config.ts'
import type { BlobSchedule, Fork } from '../chain/forks/forks.ts'
import type { Layer2Rules } from '../chain/forks/layer2-rules.ts'
import type { Log } from '../chain/receipt/log.ts'
import type { InvalidTransaction } from '../chain/transaction/refusal.ts'
import type { AccessList, Authorization, RecoveredTransaction } from '../chain/transaction/transaction.ts'
import type { Address, Bytes, Hash } from '../primitives/hex.ts'
import type { MaybePromise } from '../primitives/maybe-promise.ts'
import type { StateDiff } from '../state/state-diff.ts'
import type { StateReader } from '../state/state-reader.ts'
import type { HaltReason } from './halt-reason.ts'
import type { LogEmission } from './interpreter.ts'
import type { Tracer } from './tracer.ts'

/** Block environment of an execution. */
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
  /** Absent on layer 1. */
  readonly layer2?: Layer2Rules
}

/** An unsigned message: `eth_call`, estimates, simulations, system calls. */
export interface Call {
  readonly from: Address
  /** `null` creates a contract. */
  readonly to: Address | null
  readonly gasLimit: bigint
  readonly value: bigint
  readonly data: Bytes
  /** If present, replaces the sender's nonce (it determines the address of a creation). */
  readonly nonce?: bigint
  /** Wei per gas; both 0 for a message that pays nothing. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly accessList: AccessList
  readonly authorizationList?: readonly Authorization[]
  readonly blobVersionedHashes?: readonly Hash[]
  readonly maxFeePerBlobGas?: bigint
}

/** Which checks of a signed transaction apply to a call. */
export interface CallChecks {
  /** The nonce equals the sender's. */
  readonly nonce: boolean
  /** The fee cap covers the base fee; if off, a call without fees is accepted. */
  readonly baseFee: boolean
  /** EIP-3607: the sender has no code. `last` reports it only when nothing else is wrong. */
  readonly senderWithoutCode: boolean | 'last'
  /**
   * The sender can pay gas times price. `false`: only its value. `lent`: neither; it has at least the value, and pays
   * for gas as far as its balance goes (Hardhat).
   */
  readonly gasFunds: boolean | 'lent'
}

export interface Executed {
  readonly kind: 'executed'
  readonly status: 'success' | 'revert' | 'halt'
  readonly halt?: HaltReason
  /** After refunds and, from Prague on, at least the calldata floor (EIP-7623). */
  readonly gasUsed: number
  /** Before refunds. */
  readonly maxUsedGas: number
  /** Minimum gas limit with which it succeeds in the same way. Absent if the code may have observed its gas. */
  readonly neededGasLimit?: bigint
  /** Inner calls and creations that ran out of gas; absent: none. */
  readonly framesOutOfGas?: number
  /** Return data or revert data. */
  readonly output: Bytes
  /** Empty if it failed. */
  readonly logs: readonly Log[]
  /** Emission order, with gaps for failed frames; absent if not counted. */
  readonly emission?: LogEmission
  /** Of a creation, also a failed one. */
  readonly contractAddress: Address | null
  /** Effective price in wei per gas. */
  readonly effectiveGasPrice: bigint
  /** Nonce of a deposit's sender before it (Regolith). */
  readonly depositNonce?: bigint
  /** Present for signed transactions on a chain whose transactions pay for their data on layer 1. */
  readonly l1Fee?: L1Fee
}

export type Result = Executed | { readonly kind: 'invalid'; readonly error: InvalidTransaction }

/** For objects built in steps: optional members are assigned, since spreading them is slow on hot paths. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Keeps state and caches between the messages of a block. One message at a time: building a block is a critical
 * section. An `invalid` message changes nothing. A session whose messages were all reverted passes its cached reads on
 * to the next one on the same state.
 */
export interface Session {
  readonly env: BlockEnv
  /** Executes a transaction with all checks; `remainingGas` is the gas left in the block. */
  execute(transaction: RecoveredTransaction, remainingGas: bigint): MaybePromise<Result>
  /** Executes a call with the given checks; its effects stay in the session. */
  call(call: Call, checks: CallChecks): MaybePromise<Result>
  /** A system call (EIP-4788, EIP-2935, EIP-7002, EIP-7251): no fees, no nonce, 30M gas, from the system address. */
  systemCall(to: Address, data: Bytes): MaybePromise<Executed>
  /**
   * Accounts and slots with a cold access in the last message (EIP-2929), also in failed frames; in no particular
   * order, each account once.
   */
  coldAccesses(): AccessList
  /** Reads including everything executed so far. */
  readonly state: StateReader
  /** Applies changes from outside of messages (state overrides, withdrawals, genesis). */
  apply(diff: StateDiff): void
  /** All changes since the session was opened or since the last `takeDiff`. */
  takeDiff(): StateDiff
  /** Reverts to the state at `checkpoint()`; checkpoints nest. */
  checkpoint(): void
  revert(): void
  commit(): void
  close(): void
}

/** Called during long work to let other work run; `false` stops it. Default: never interrupted. */
export type MayContinue = () => boolean | Promise<boolean>

/** `mayContinue` returned false; the message was reverted. */
export class ExecutionStoppedError extends Error {
  override readonly name = 'ExecutionStoppedError'
  readonly code = 'EXECUTION_STOPPED'
}

export interface SessionOptions {
  /** Called after every two million gas of a message (10,000 in a session with a tracer). */
  readonly mayContinue?: MayContinue
  /**
   * On a state that is read on demand: a message waits for what it lacks (default), or fails with the
   * MissingStateError. A message that fails changes nothing.
   */
  readonly missingState?: 'wait' | 'fail'
  /**
   * Called with each load that a message waits for, and with the message if it is a call; resolves when the load is
   * complete. Default: awaits it.
   */
  readonly awaitState?: ((load: () => Promise<void>, call: Call | undefined) => Promise<void>) | undefined
  /** Value transfers emit logs of 0xeee…e (`eth_simulateV1`). */
  readonly traceTransfers?: boolean
  /** Results have no logs: the caller does not read them. */
  readonly withoutLogs?: boolean
  /** Precompiles moved to another address or, with `null`, removed by state overrides. */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address | null>
  /**
   * Returns the tracer of each message before it runs; `undefined`: not traced. A session with it uses the tracing
   * interpreter, which is slower and pauses more often.
   */
  readonly tracer?: () => Tracer | undefined
}

/** Opens sessions. A sequencer and its readers use separate engines. */
export interface Engine {
  readonly config: ChainConfig
  /** @param state immutable: cached reads are reused by later sessions */
  open(env: BlockEnv, state: StateReader, options?: SessionOptions): Session
  /** Addresses of the precompiles of a block. */
  precompiles(env: Pick<BlockEnv, 'fork' | 'layer2'>): ReadonlySet<Address>
}
