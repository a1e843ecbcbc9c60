import type { ChainFork } from '../../fork/chain-fork.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { BelowFork } from '../core/results.ts'
import { type NextBlockSettings, settingsOnce, withChainTime } from './next-block.ts'

/**
 * What a revert restores besides blocks and state. `chain` (Anvil): the gas limit; transactions that were sent after
 * the snapshot stay in the pool, those included since are gone; time continues from the newest block. `everything`
 * (Hardhat): also the pool, and the settings and time of coming blocks.
 */
export type RevertScope = 'chain' | 'everything'

/** A snapshot that can be reverted to. */
export interface LiveSnapshot {
  readonly id: number
  /** The newest sealed block. */
  readonly number: number
  readonly hash: Hash
}

/** Snapshots that can be reverted to: each keeps a pool and state changes in memory. */
export const MAX_SNAPSHOTS = 50_000

export interface SnapshotRefusal {
  readonly code: 'TOO_MANY_SNAPSHOTS'
  readonly limit: number
}

export type RollbackRefusal =
  | { readonly code: 'ABOVE_LATEST'; readonly depth: number; readonly latest: number }
  | BelowFork
  | StatePruned

/** A transaction of a chain that replaces another. */
export interface ReplacingTransaction {
  /** Index of its block, from 0 for the lowest one that is replaced. */
  readonly block: number
  /** Adds it to the pool, on the chain so far, without mining it. Called again when it lacked state of a fork. */
  readonly send: () => Promise<unknown>
}

/** Transactions that the reorganized chain does not have, because their sending failed. */
export interface ReorgRefusal {
  readonly code: 'TRANSACTIONS_REFUSED'
  readonly refused: readonly { readonly transaction: ReplacingTransaction; readonly error: unknown }[]
}

export type ReforkRefusal =
  /** The chain is in a directory of the user, which belongs to its fork block. */
  | { readonly code: 'DIRECTORY_KEPT' }
  /** The other block has another hardfork or other fee parameters, which need a new node. */
  | { readonly code: 'RULES_DIFFER'; readonly number: number }

/** A transaction of the forked chain could not be executed again: the chain ends with the fork block. */
export interface ReplayRefusal {
  readonly code: 'REPLAY_REFUSED'
  readonly hash: Hash
  readonly error: { readonly code: string }
}

/** The state of a block is not retained. */
export interface StatePruned {
  readonly code: 'STATE_PRUNED'
  readonly number: number
  /** The oldest block whose state is retained. */
  readonly oldest: number
}

/**
 * Returning to earlier blocks, also finalized ones. Subscribers, filters, replicas and RPC workers follow as after
 * `debug_setHead`. Snapshots live as long as the process.
 */
export interface Snapshots {
  /** Seals the open block if it has transactions, and takes a snapshot. @returns its id, which counts up from 0 */
  take(): Promise<number | SnapshotRefusal>
  /**
   * Returns to a snapshot and discards it and all later ones.
   *
   * @returns false if there is none with this id
   */
  revert(id: number, scope: RevertScope): Promise<boolean | StatePruned>
  /** Snapshots that can be reverted to, oldest first. */
  list(): readonly LiveSnapshot[]
  /** Removes the newest sealed blocks; their transactions do not return to the pool. */
  rollback(depth: number): Promise<RollbackRefusal | undefined>
  /**
   * Replaces the newest sealed blocks by as many others, in one operation. A transaction whose sending fails is left
   * out; the chain has its height again in any case.
   *
   * @param transactions ascending by block
   */
  reorganize(
    depth: number,
    transactions: readonly ReplacingTransaction[],
  ): Promise<RollbackRefusal | ReorgRefusal | undefined>
  /**
   * Returns to genesis or the fork block with an empty pool and discards all snapshots.
   *
   * @param scope `chain`: mining mode, settings of coming blocks and impersonations stay
   */
  reset(scope: RevertScope): Promise<RollbackRefusal | ReplayRefusal | undefined>
  /**
   * Begins on another block of the forked chain with an empty pool and the gas limit and fee recipient of that block,
   * and discards all snapshots.
   *
   * @param fork opened by `ChainFork.openAt`; the caller closes it after a refusal or an error
   * @throws ForkError when its state cannot be read; nothing changes then
   */
  resetOnto(fork: ChainFork, scope: RevertScope): Promise<ReforkRefusal | undefined>
  /** Number of resets so far. */
  readonly resets: number
}

/** Settings at a snapshot, and when it was taken. */
export interface SettingsSnapshot {
  readonly settings: NextBlockSettings
  /** Wall-clock time, in milliseconds. */
  readonly wallMs: number
  /** The newest sealed block. */
  readonly block: { readonly number: number; readonly timestamp: bigint }
}

/** Settings of coming blocks after a revert. @param wallMs wall-clock time now */
export function settingsAfterRevert(
  scope: RevertScope,
  current: NextBlockSettings,
  snapshot: SettingsSnapshot,
  wallMs: number,
): NextBlockSettings {
  const { settings, block } = snapshot
  if (scope === 'chain') return settingsAfterRollback({ ...current, gasLimit: settings.gasLimit }, block, wallMs)
  // Chain time continues as if no time had passed since the snapshot.
  const elapsedMs = BigInt(Math.floor(wallMs) - Math.floor(snapshot.wallMs))
  return { ...settings, offsetMs: settings.offsetMs - elapsedMs }
}

/** Settings of coming blocks when a block becomes the newest: time continues from it. */
export function settingsAfterRollback(
  current: NextBlockSettings,
  block: SettingsSnapshot['block'],
  wallMs: number,
): NextBlockSettings {
  const { once } = current
  const number = block.number + 1
  const pending = once && { ...settingsOnce(current, once.number), number, timestamp: undefined }
  return withChainTime({ ...current, once: pending }, block.timestamp, wallMs)
}
