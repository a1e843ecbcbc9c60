import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { MiningMode } from './mining-mode.ts'
import type { NextBlockSettings } from './next-block.ts'
import type { CommitResult, PayloadChoices } from './payload-plan.ts'
import type { TimestampRefusal } from './timestamp-refusal.ts'

export interface MineRequest {
  readonly blocks: number
  /** Unix seconds, of the first block. Default: chain time. */
  readonly timestamp?: bigint | undefined
  /** Seconds between the timestamps of blocks. Default: chain time determines them. */
  readonly intervalSeconds?: bigint | undefined
  /** Whether the first block has the interval to chain time, too. */
  readonly spacesFirst?: boolean | undefined
}

export type MineRefusal =
  | TimestampRefusal
  | { readonly code: 'TOO_MANY_BLOCKS'; readonly blocks: number; readonly limit: number }

/** When blocks are built, and header members that they get. */
export interface Mining {
  readonly mode: MiningMode
  readonly settings: NextBlockSettings
  /**
   * Changes the mode. An open block with transactions is sealed.
   *
   * @param change returns the new mode
   * @param minesWaiting whether executable transactions of the pool are mined at once if the new mode is automatic
   */
  setMode(change: (mode: MiningMode) => MiningMode, options: { readonly minesWaiting: boolean }): Promise<void>
  /** Mines blocks, also without transactions. A refused request has no effect. */
  mine(request: MineRequest): Promise<MineRefusal | undefined>
  /** Mines a block that a client chooses (layer 1). A refused one is not part of the chain. */
  commit(choices: PayloadChoices): Promise<CommitResult>
  /** Fee recipient of coming blocks. */
  setCoinbase(coinbase: Address): Promise<void>
  /** Gas limit of coming blocks; on layer 1 the target that it moves towards. */
  setGasLimit(gasLimit: bigint): Promise<void>
  /** Base fee of the next block, in wei per gas; later ones are derived from it. */
  setNextBaseFee(baseFeePerGas: bigint): Promise<void>
  /** prevRandao of the next block. */
  setPrevRandao(prevRandao: Hash): Promise<void>
  /**
   * Drops a transaction from the pool, and with `withDependents` also those of its sender that can only follow it.
   *
   * @returns whether the pool had it
   */
  dropTransaction(hash: Hash, options?: { readonly withDependents: boolean }): Promise<boolean>
  /** Drops these transactions from the pool; default: all. @returns their hashes */
  dropTransactions(isDropped?: (transaction: PoolTransaction) => boolean): Promise<readonly Hash[]>
}
