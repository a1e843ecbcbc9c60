import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { activationsUntil, flagOfActivations, forkActivations } from '../../chain/genesis/fork-activations.ts'
import { FORKS_KEY } from '../../state/chain-store/encoding/metadata-keys.ts'
import type { TableName } from '../../state/chain-store/encoding/tables.ts'
import { put } from '../../state/chain-store/encoding/write.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { StorageError } from '../../storage/storage-error.ts'
import { WriteBatch } from '../../storage/write-batch.ts'

type Newest = Pick<Header, 'number' | 'timestamp'>

/**
 * Checks that the chain of a directory continues by the rules with which it was made. Activations after its newest
 * block may differ, as in go-ethereum; a directory of an earlier version does not have its schedule.
 *
 * @throws StorageError that names the flag
 */
export function assertStoredForks(store: KeyValueStore<TableName>, config: ChainConfig, newest: Newest): void {
  const stored = storedForks(store)
  const own = forkActivations(config)
  if (stored === undefined || activationsUntil(stored, newest) === activationsUntil(own, newest)) return
  throw new StorageError(
    'OTHER_CHAIN',
    `the data directory has a chain with the forks ${stored}, the flags give it ${own}: start with ` +
      `${flagOfActivations(stored)}, or choose another --datadir`,
  )
}

/**
 * As `assertStoredForks`; then stores the schedule by which blocks are built from now on.
 *
 * @throws StorageError
 */
export async function keepForks(store: KeyValueStore<TableName>, config: ChainConfig, newest: Newest): Promise<void> {
  assertStoredForks(store, config, newest)
  const own = forkActivations(config)
  if (storedForks(store) === own) return
  const batch = new WriteBatch<TableName>()
  batch.add(put('metadata', FORKS_KEY, Buffer.from(own, 'ascii')))
  await store.commit(batch)
}

function storedForks(store: KeyValueStore<TableName>): string | undefined {
  const value = withSnapshot(store, (reader) => reader.get('metadata', FORKS_KEY))
  return value && Buffer.from(value).toString('ascii')
}
