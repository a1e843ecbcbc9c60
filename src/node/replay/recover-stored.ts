import { join } from 'node:path'
import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { assertRecordsReachStore } from '../../state/chain-store/newest-record.ts'
import { RECORDS_DIRECTORY } from '../../state/chain-store/open-chain-database.ts'
import { transferredPool } from '../../state/chain-store/transfer/chain-takeover.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { withSnapshot } from '../../storage/key-value.ts'
import type { NodeCore } from '../core/node-core.ts'
import { withTransferredPool } from '../roles/follower/restore-snapshot.ts'
import { type Recovered, recover } from './recovery.ts'
import { alignStore } from './store-unwinding.ts'
import { keepFinalized } from './stored-finality.ts'

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
 */
export async function recoverStored(
  core: Pick<NodeCore, 'chain' | 'records' | 'cache' | 'directory' | 'current' | 'storedBase'>,
  finalityDepth: number,
): Promise<RecoveredChain> {
  const { chain, records, cache, directory } = core
  assertRecordsReachStore(directory.store, {
    lastSequence: records.lastSequence,
    path: join(directory.path, RECORDS_DIRECTORY),
  })
  // Records are read and decoded once, which determines the duration of a start.
  const recorded = [...records.read({ stored: chain.newest()!.number })]
  await alignStore(chain, recorded, { cache, finalityDepth })
  const { base, baseTrie } = core.storedBase()
  const { number } = base
  const recovered = recover({ number, hash: base.blockHash(number)!, trie: baseTrie }, recorded)
  const latest = recovered.recent.at(-1)?.block.header.number ?? number
  core.current.keepFinalized(await keepFinalized(directory.store, { latest, stored: number }, finalityDepth))
  const pool = withTransferredPool(withSnapshot(directory.store, transferredPool), recorded, recovered)
  return { base, baseTrie, recovered, ...pool }
}
