import { join } from 'node:path'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { scheduledTimeOf } from '../../chain/forks/denim-schedule.ts'
import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { RECORDS_DIRECTORY } from '../../state/chain-store/open-chain-database.ts'
import { transferredPool } from '../../state/chain-store/transfer/chain-transfer.ts'
import { assertRecordsReachStore, poolCheckpoint } from '../../state/chain-store/writes/record-numbers.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { withSnapshot } from '../../storage/key-value.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { withTransferredPool } from '../following/restore-snapshot.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { finalityOf } from '../machine/finality.ts'
import { type Recovered, recover } from '../machine/recovery.ts'
import { alignStore } from '../store/store-unwinding.ts'
import { keepFinalized } from '../store/stored-finality.ts'
import { keepForks } from '../store/stored-forks.ts'
import type { NodeCore } from './node-core.ts'

export interface RecoveredChain {
  /** The newest block of the store. The caller owns it. */
  readonly base: Snapshot
  readonly baseTrie: StateTrie
  readonly recovered: Recovered
  /** Pool transactions in order of arrival, including those of the pool checkpoint. */
  readonly pooled: readonly PoolTransaction[]
  readonly dropped: readonly DroppedTransaction[]
}

/**
 * Recovers the chain of an open data directory: finishes an unwind that was interrupted, and replays the records
 * above the store.
 *
 * @throws RecoveryError when records contradict the store or each other
 * @throws StorageError when the newest block contradicts the schedule of the chain, or the chain has other forks
 */
export async function recoverStored(
  core: Pick<NodeCore, 'config' | 'chain' | 'records' | 'cache' | 'directory' | 'current' | 'storedBase'>,
  finalityDepth: number,
): Promise<RecoveredChain> {
  const { chain, records, cache, directory } = core
  const finality = finalityOf(finalityDepth, core.config)
  assertRecordsReachStore(directory.store, {
    lastSequence: records.lastSequence,
    path: join(directory.path, RECORDS_DIRECTORY),
  })
  // Records are read and decoded once, which determines the duration of a start.
  const recorded = [...recordsForStart(core)]
  await alignStore(chain, recorded, { cache, finality })
  const { base, baseTrie } = core.storedBase()
  const { number } = base
  const recovered = recover({ number, hash: base.blockHash(number)!, trie: baseTrie }, recorded)
  const newest = recovered.recent.at(-1)?.block.header ?? base.header(number)
  const latest = newest?.number ?? number
  if (newest !== undefined) {
    assertOnSchedule(newest, core.config)
    // The flashblocks of an open block were executed by its forks, and its execution continues.
    await keepForks(directory.store, core.config, recovered.open?.block.header ?? newest)
  }
  core.current.keepFinalized(await keepFinalized(directory.store, { latest, stored: number }, finality))
  const pool = withTransferredPool(withSnapshot(directory.store, transferredPool), recorded, recovered)
  return { base, baseTrie, recovered, ...pool }
}

/** The records that the recovery of an open data directory needs, oldest first. */
export function recordsForStart({
  records,
  chain,
  directory,
}: Pick<NodeCore, 'records' | 'chain' | 'directory'>): Iterable<NumberedRecord> {
  const checkpoint = withSnapshot(directory.store, poolCheckpoint)
  return records.read({ stored: chain.newest()!.number, poolCheckpoint: checkpoint })
}

/** Another activation of Denim gives the same block 0, but other times of the blocks above it. */
function assertOnSchedule({ number, timestamp }: Header, config: ChainConfig): void {
  const scheduled = scheduledTimeOf(number, config)
  if (scheduled === undefined || scheduled.timestamp === timestamp) return
  throw new StorageError(
    'OTHER_CHAIN',
    `block ${number} of the data directory has the time ${timestamp}, the schedule of the flags gives it ` +
      `${scheduled.timestamp}: start with the --denim-after or config.denimTime with which the directory was created`,
  )
}
