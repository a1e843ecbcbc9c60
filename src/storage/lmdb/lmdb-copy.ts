import { existsSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { open, type RootDatabase } from 'lmdb'
import { copyPages } from '../pages/copy-pages.ts'
import { type CoveredDatabase, openCoveredDatabase } from '../pages/covered-database.ts'
import { DATA_FILE } from '../pages/page-file.ts'
import { DamagedPageError } from '../pages/page-reader.ts'
import { SUMS_FILE } from '../pages/page-sums.ts'
import { storeDamaged } from '../pages/store-damage.ts'
import { StorageError } from '../storage-error.ts'

/** How often the files are read again while a commit changes them. */
const ATTEMPTS = 50
const ATTEMPT_MS = 20

/**
 * Copies a database as of one commit into an existing, empty directory and syncs the copy. Another process may write
 * meanwhile. Every page is compared with its checksum; a temporary database, which has none, is copied
 * without.
 *
 * @throws StorageError `COPY_FAILED`, `STORE_DAMAGED`
 */
export async function copyLmdbStore(path: string, directory: string): Promise<void> {
  const root = open(path, { noSubdir: false, readOnly: true })
  try {
    if (existsSync(join(path, SUMS_FILE))) await copyCovered(path, directory, root)
    else await root.backup(directory, true).then(() => syncFile(join(directory, DATA_FILE)))
  } catch (error) {
    if (error instanceof DamagedPageError) throw storeDamaged(path, error.message, error)
    if (error instanceof StorageError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const message = `${path} could not be copied to ${directory} (${reason}): check the space on that disk`
    throw new StorageError('COPY_FAILED', message, { path: directory, cause: error })
  } finally {
    await root.close()
  }
}

async function copyCovered(path: string, directory: string, root: RootDatabase): Promise<void> {
  // Pages of this transaction, and of later ones, are not overwritten while it is open.
  const pin = root.useReadTransaction()
  try {
    const database = await openWhileWritten(path)
    try {
      await copyPages(database, database.meta, directory)
    } finally {
      database.file.close()
    }
  } finally {
    pin.done()
  }
}

/** A commit in progress looks like damage for a moment. */
async function openWhileWritten(path: string): Promise<CoveredDatabase> {
  for (let attempt = 1; ; attempt++) {
    try {
      return openCoveredDatabase(path)!
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await delay(ATTEMPT_MS)
    }
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await openFile(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
