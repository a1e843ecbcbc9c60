import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What stat counts blocks in (POSIX), whatever the file system's own are. */
const BLOCK = 512

/** Bytes that a directory's files take on disk: what is sparse counts as far as it is there. */
export async function diskBytes(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  // Files of the record log may go while they are looked at.
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ blocks }) => blocks * BLOCK,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
