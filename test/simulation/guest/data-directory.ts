import type { DataDirectory, DataDirectoryOptions } from '../../../src/node/core/data-directory.ts'
import { CHAIN_TABLES, type TableName } from '../../../src/state/chain-store/encoding/tables.ts'
import { dropReplacedRecords } from '../../../src/state/chain-store/transfer/chain-transfer.ts'
import type { FileSystem } from '../../../src/storage/file-system.ts'
import { openSegmentLog } from '../../../src/storage/segment-log.ts'
import { TableSets } from '../../../src/storage/table-sets.ts'
import { MemoryDatabase } from '../world/memory-database.ts'
import { type DatabaseAccess, SimulatedStore } from './simulated-store.ts'
import { simulation } from './simulation.ts'

export const RECORDS_DIRECTORY = 'records'
export const LOCK_NAME = 'lock'

/** The record log on the simulated disk, and the store on the simulated database; without a path both are new. */
export async function openDataDirectory({ path }: DataDirectoryOptions): Promise<DataDirectory> {
  const { fileSystem, database, settings } = simulation()
  const store = openStore(path === undefined ? new MemoryDatabase() : database)
  const directory = path ?? '/temporary'
  const log = await openSegmentLog(
    { directory: `${directory}/${RECORDS_DIRECTORY}`, segmentBytes: settings.segmentBytes },
    { fileSystem },
  )
  await dropReplacedRecords(store, (first) => log.reset(first))
  const close = async () => {
    await log.close()
    await store.close()
  }
  return { path: directory, store, log, close }
}

/** In place of the database of a stopped node. */
export async function openStoppedDatabase(): Promise<SimulatedStore> {
  return openStore(simulation().database)
}

export const openChainDatabase = openStoppedDatabase

/** At most one process runs on a simulated disk. */
export async function lockDirectory(): Promise<{ release(): Promise<void> }> {
  return { release: async () => undefined }
}

/** In place of the real file system. */
export const disk: FileSystem = new Proxy({} as FileSystem, {
  get: (_, name: keyof FileSystem) => simulation().fileSystem[name],
})

/** The files of a simulated disk are not measured. */
export async function diskBytes(): Promise<number> {
  return 0
}

function openStore(database: DatabaseAccess): SimulatedStore {
  return new SimulatedStore(new TableSets<TableName>(CHAIN_TABLES.tables, CHAIN_TABLES.replaceable), database)
}
