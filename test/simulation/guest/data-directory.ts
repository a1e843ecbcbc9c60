import type { DataDirectory, DataDirectoryOptions } from '../../../src/node/core/data-directory.ts'
import { CHAIN_TABLES, type TableName } from '../../../src/state/chain-store/encoding/tables.ts'
import { dropReplacedRecords } from '../../../src/state/chain-store/transfer/chain-transfer.ts'
import { openSegmentLog } from '../../../src/storage/segment-log.ts'
import { TableSets } from '../../../src/storage/table-sets.ts'
import { SimulatedStore } from './simulated-store.ts'
import { simulation } from './simulation.ts'

export const RECORDS_DIRECTORY = 'records'

/** The record log on the simulated disk, and the store on the simulated database. */
export async function openDataDirectory(options: DataDirectoryOptions): Promise<DataDirectory> {
  const { fileSystem, database, settings } = simulation()
  const path = options.path ?? '/temporary'
  const store = new SimulatedStore(new TableSets<TableName>(CHAIN_TABLES.tables, CHAIN_TABLES.replaceable), database)
  const log = await openSegmentLog(
    { directory: `${path}/${RECORDS_DIRECTORY}`, segmentBytes: settings.segmentBytes },
    { fileSystem },
  )
  await dropReplacedRecords(store, (first) => log.reset(first))
  const close = async () => {
    await log.close()
    await store.close()
  }
  return { path, store, log, close }
}

/** The files of a simulated disk are not measured. */
export async function diskBytes(): Promise<number> {
  return 0
}
