import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { disk } from '../../storage/disk.ts'

/** End of the name of a file that is being written; it gets its name when it is complete. */
const PARTIAL = '.new'

/**
 * Copies folders of a data directory that lie beside its chain, such as verified sources, while a node may write them.
 * A file that the copy has with the same size and time is not read again. Files that are gone leave the copy as well.
 */
export async function copyFolders(from: string, to: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const names = disk.list(join(from, folder)).filter((name) => !name.endsWith(PARTIAL))
    const target = join(to, folder)
    const gone = disk.list(target).filter((name) => !names.includes(name))
    if (names.length === 0 && gone.length === 0) continue
    await disk.makeDirectory(target)
    for (const name of names) await copyFile(join(from, folder, name), join(target, name))
    for (const name of gone) await rm(join(target, name))
    await disk.syncDirectory(target)
  }
}

async function copyFile(source: string, target: string): Promise<void> {
  const version = await stat(source).catch(ignoreAbsent)
  const copied = await stat(target).catch(ignoreAbsent)
  if (version === undefined) return
  if (copied?.size === version.size && copied.mtime.getTime() === version.mtime.getTime()) return
  const bytes = await readFile(source).catch(ignoreAbsent)
  // The node has removed it meanwhile.
  if (bytes === undefined) return
  await writeFile(`${target}${PARTIAL}`, bytes, { flush: true, mode: 0o600 })
  await utimes(`${target}${PARTIAL}`, version.mtime, version.mtime)
  await rename(`${target}${PARTIAL}`, target)
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
