import { join } from 'node:path'
import { RECORDS_DIRECTORY } from '../../state/chain-store/open-chain-database.ts'
import { decodeRecord } from '../../state/records/record.ts'
import { disk } from '../../storage/disk.ts'
import { openSegmentReader } from '../../storage/segment-reader.ts'
import type { NumberedRecord } from './journal.ts'

/** Records `from` to `to` in a data directory that another thread or process writes. */
export function storedRecords(directory: string): (from: number, to: number) => Iterable<NumberedRecord> {
  const reader = openSegmentReader({ directory: join(directory, RECORDS_DIRECTORY) }, { fileSystem: disk })
  return function* (from, to) {
    for (const { sequence, payload } of reader.read(from, to)) yield { sequence, record: decodeRecord(payload) }
  }
}
