import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/**
 * Writes the files of a packed data directory into a new folder.
 *
 * @param packed a file with the files of the main network by name, in base64
 * @returns the folder, for `--datadir`
 */
export function unpackDirectory(packed: URL): string {
  const datadir = mkdtempSync(join(tmpdir(), 'tickertape-packed-'))
  const files = JSON.parse(brotliDecompressSync(readFileSync(packed)).toString('utf8')) as Record<string, string>
  for (const [name, content] of Object.entries(files)) {
    const path = join(datadir, 'main', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, Buffer.from(content, 'base64'))
  }
  return datadir
}
