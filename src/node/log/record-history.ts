import { join } from 'node:path'
import type { Bytes } from '../../primitives/hex.ts'
import { RECORDS_DIRECTORY } from '../../state/chain-store/open-chain-database.ts'
import { type LoggedRecord, type RecordLogFilter, readLoggedRecord } from '../../state/records/logged-record.ts'
import { disk } from '../../storage/disk.ts'
import { openSegmentReader } from '../../storage/segment-reader.ts'
import { StorageError } from '../../storage/storage-error.ts'

export type { LoggedFlashblock, LoggedRecord, PlacedLog, RecordLogFilter } from '../../state/records/logged-record.ts'

/** The retained records of a node, which any process of its machine can read. */
export interface StoredRecords {
  /** The oldest one; `undefined` without any. */
  first(): number | undefined
  /**
   * The records from `from` to `to`, inclusive.
   *
   * @throws StorageError `RECORDS_REMOVED`
   */
  read(from: number, to: number): Iterable<{ readonly sequence: number; readonly payload: Bytes }>
}

/** A record with its number. */
export interface NumberedLogs {
  readonly sequence: number
  readonly record: LoggedRecord
}

/** @param directory the data directory of the node */
export function openStoredRecords(directory: string): StoredRecords {
  return openSegmentReader({ directory: join(directory, RECORDS_DIRECTORY) }, { fileSystem: disk })
}

/**
 * The records from `from` to `to`, as far as they are written, with the logs that a filter chooses; `undefined` when
 * they are not retained any more.
 *
 * @throws StorageError, RecordError when they are damaged
 */
export function readLogs(
  records: StoredRecords,
  { from, to }: { readonly from: number; readonly to: number },
  filter: RecordLogFilter,
): readonly NumberedLogs[] | undefined {
  const found: NumberedLogs[] = []
  try {
    for (const { sequence, payload } of records.read(from, to)) {
      if (sequence !== from + found.length) return undefined
      found.push({ sequence, record: readLoggedRecord(payload, filter) })
    }
    return found
  } catch (error) {
    if (error instanceof StorageError && error.code === 'RECORDS_REMOVED') return undefined
    throw error
  }
}
