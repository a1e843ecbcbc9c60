import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { open } from 'lmdb'
import { DATA_FILE } from './pages/page-file.ts'
import { StorageError } from './storage-error.ts'

/**
 * Copies a database as of one commit into an existing, empty directory and syncs the copy. Another process may write
 * meanwhile. The copy holds no free pages.
 *
 * @throws StorageError `COPY_FAILED`
 */
export async function copyLmdbStore(path: string, directory: string): Promise<void> {
  try {
    const root = open(path, { noSubdir: false, readOnly: true })
    try {
      await root.backup(directory, true)
    } finally {
      await root.close()
    }
    await syncFile(join(directory, DATA_FILE))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `${path} could not be copied to ${directory} (${reason}): check the space on that disk`
    throw new StorageError('COPY_FAILED', message, { path: directory, cause: error })
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
