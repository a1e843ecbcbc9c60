import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { disk } from '../../storage/disk.ts'

/** A complete backup: `backup-N` in the backup directory. A larger number is newer. */
export interface Generation {
  readonly number: number
  readonly path: string
}

const COMPLETE = /^backup-([1-9][0-9]*)$/
const PARTIAL = /^backup-[1-9][0-9]*\.partial$/

/** The complete backups in a directory, oldest first. */
export function completeGenerations(directory: string): readonly Generation[] {
  return disk
    .list(directory)
    .flatMap((name) => {
      const number = COMPLETE.exec(name)?.[1]
      return number === undefined ? [] : [{ number: Number(number), path: join(directory, name) }]
    })
    .sort((a, b) => a.number - b.number)
}

/**
 * Makes the next generation: `fill` writes it into a directory that becomes a generation by a rename. A crash leaves a
 * partial directory, which the next call removes. Then older generations are removed, except the newest `kept`.
 */
export async function addGeneration(
  directory: string,
  kept: number,
  fill: (path: string) => Promise<void>,
): Promise<Generation> {
  for (const name of disk.list(directory)) if (PARTIAL.test(name)) await removeTree(join(directory, name))
  const number = (completeGenerations(directory).at(-1)?.number ?? 0) + 1
  const path = join(directory, `backup-${number}`)
  const partial = `${path}.partial`
  await disk.makeDirectory(partial)
  await fill(partial)
  await rename(partial, path)
  await disk.syncDirectory(directory)
  const generations = completeGenerations(directory)
  for (const old of generations.slice(0, Math.max(generations.length - kept, 0))) await removeTree(old.path)
  return { number, path }
}

function removeTree(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true })
}
