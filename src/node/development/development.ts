import type { UserDeposit } from '../../chain/system-transactions/user-deposit.ts'
import type { SubmitRefusal } from '../../chain/transaction/refusal.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { PoolOrder } from '../../pool/candidates.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { SubmitResult } from '../core/results.ts'
import type { ReceivedTransaction } from '../intake/received-transaction.ts'
import type { SubmitMadeOptions, SubmitReceivedOptions } from '../intake/submissions.ts'
import type { DepositResult } from '../layer1/waiting-deposits.ts'
import type { AccountSettings, DevelopmentAccounts } from './accounts.ts'
import type { CallBundles } from './call-bundles.ts'
import type { ChainTime } from './chain-time.ts'
import type { DevelopmentLogging } from './logging.ts'
import type { Mining } from './mining.ts'
import type { MiningMode } from './mining-mode.ts'
import type { Snapshots } from './snapshots.ts'
import type { StateChanges } from './state-changes.ts'

/**
 * Operations beyond those of a production node: mining on request, chain time, changes from outside. Each runs between
 * two flashblocks, one at a time, and resolves when its records are durable and the new head is shown.
 */
export interface Development {
  readonly mining: Mining
  readonly time: ChainTime
  readonly state: StateChanges
  readonly snapshots: Snapshots
  readonly accounts: DevelopmentAccounts
  /** Order of transactions of different senders. */
  readonly order: PoolOrder
  readonly logging: DevelopmentLogging
  readonly bundles: CallBundles
  /** Includes a deposit at the beginning of the next block, and resolves when that block is announced. */
  deposit(deposit: UserDeposit): Promise<DepositResult>
  /** Resolves when sealed blocks are stored, except those that snapshots hold back: their state leaves the memory. */
  stored(): Promise<void>
  /** Another one after each start and each reset. */
  readonly instanceId: Hash
  /** Decodes the bytes of a transaction and recovers its sender. */
  receive(raw: Bytes): Promise<ReceivedTransaction>
  /** Submits a transaction of `receive`. */
  submitReceived(transaction: PoolTransaction, options?: SubmitReceivedOptions): Promise<SubmitResult>
  /**
   * Submits a transaction that this node makes.
   *
   * @param make is given the sender's next nonce; concurrent transactions get consecutive ones
   */
  submitMade(
    from: Address,
    make: (nextNonce: bigint) => PoolTransaction,
    options?: SubmitMadeOptions,
  ): Promise<SubmitResult>
  /** Why `submitMade` would refuse a transaction now. Changes nothing. */
  refusalOfMade(from: Address, make: (nextNonce: bigint) => PoolTransaction): Promise<SubmitRefusal | undefined>
}

/** Settings of a development node. */
export interface DevelopmentSettings {
  /** Mode at the start. */
  readonly mining: MiningMode
  /** Chain time at the start of a new chain and after a reset, in Unix seconds. Default: the wall clock. */
  readonly timestamp?: bigint | undefined
  /**
   * Whether a complete reset (Hardhat) gives block 0 the time of the reset. Followers cannot know that time: only for a
   * chain whose block 0 has the time of the start, which they cannot know either. Default: block 0 never changes.
   */
  readonly renewsGenesis?: boolean | undefined
  /** Default: the ten well-known accounts. */
  readonly accounts?: AccountSettings | undefined
}
