import { type KeyValueReader, type KeyValueStore, withSnapshot } from '../../../storage/key-value.ts'
import { StorageError } from '../../../storage/storage-error.ts'
import { blockKey, heightIn } from '../encoding/keys.ts'
import { NEWEST_RECORD_KEY, POOL_CHECKPOINT_KEY } from '../encoding/metadata-keys.ts'
import type { TableName } from '../encoding/tables.ts'
import { put, type Write } from '../encoding/write.ts'

export function newestRecordWrite(sequence: number): Write {
  return put('metadata', NEWEST_RECORD_KEY, blockKey(sequence))
}

function newestRecord(reader: KeyValueReader<TableName>): number {
  const value = reader.get('metadata', NEWEST_RECORD_KEY)
  return value === undefined ? 0 : heightIn(value)
}

export function poolCheckpointWrite(sequence: number): Write {
  return put('metadata', POOL_CHECKPOINT_KEY, blockKey(sequence))
}

/** The record from which on the records contain the whole pool; 0 if the store does not know it. */
export function poolCheckpoint(reader: KeyValueReader<TableName>): number {
  const value = reader.get('metadata', POOL_CHECKPOINT_KEY)
  return value === undefined ? 0 : heightIn(value)
}

/**
 * Checks that a record log is not older than the store: the store writes a block after its records.
 *
 * @param lastSequence the newest record
 * @throws StorageError `STORE_DAMAGED`
 */
export function assertRecordsReachStore(
  store: KeyValueStore<TableName>,
  { lastSequence, path }: { readonly lastSequence: number; readonly path: string },
): void {
  const sequence = withSnapshot(store, newestRecord)
  if (sequence <= lastSequence) return
  const message = `the records in ${path} end at number ${lastSequence}, the database was written after number ${sequence}: records are missing or an older copy; restore the whole data directory from a backup, or remove it and follow another node`
  throw new StorageError('STORE_DAMAGED', message, { path })
}
