import { readFileSync, statSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { disk, PRIVATE_FILE } from '../../storage/disk.ts'

/** A complete backup: `backup-N` in the backup directory. A larger number is newer. */
export interface Generation {
  readonly number: number
  readonly path: string
  /** Number of its history in the backup directory: generations of one history continue each other. */
  readonly history: number
}

/** File of a generation with the number of its history. Without it: 1. */
const HISTORY_FILE = 'history'

const COMPLETE = /^backup-([1-9][0-9]*)$/
const PARTIAL = /^backup-[1-9][0-9]*\.partial$/

/** The complete backups in a directory, oldest first. */
export function completeGenerations(directory: string): readonly Generation[] {
  return disk
    .list(directory)
    .flatMap((name) => {
      const number = COMPLETE.exec(name)?.[1]
      const path = join(directory, name)
      return number === undefined ? [] : [{ number: Number(number), path, history: historyOf(path) }]
    })
    .sort((a, b) => a.number - b.number)
}

/** The newest complete backup in a directory, or the directory itself if it is one. */
export function newestGeneration(directory: string): string | undefined {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false) return undefined
  const isGeneration = COMPLETE.test(basename(directory)) && disk.list(directory).length > 0
  return completeGenerations(directory).at(-1)?.path ?? (isGeneration ? directory : undefined)
}

function historyOf(path: string): number {
  const file = join(path, HISTORY_FILE)
  return disk.size(file) === 0 ? 1 : Number(readFileSync(file, 'utf8'))
}

/**
 * Makes the next generation: `fill` writes it into a directory that becomes a generation by a rename. A crash leaves a
 * partial directory, which the next call removes. Then older generations of the same history are removed, except the
 * newest `keep`.
 */
export async function addGeneration(
  directory: string,
  { history, keep }: { readonly history: number; readonly keep: number },
  fill: (path: string) => Promise<void>,
): Promise<Generation> {
  for (const name of disk.list(directory)) if (PARTIAL.test(name)) await removeTree(join(directory, name))
  const number = (completeGenerations(directory).at(-1)?.number ?? 0) + 1
  const path = join(directory, `backup-${number}`)
  const partial = `${path}.partial`
  await disk.makeDirectory(partial)
  await fill(partial)
  await writeFile(join(partial, HISTORY_FILE), `${history}`, { flush: true, mode: PRIVATE_FILE })
  await disk.syncDirectory(partial)
  await rename(partial, path)
  await disk.syncDirectory(directory)
  const generations = completeGenerations(directory).filter((generation) => generation.history === history)
  for (const old of generations.slice(0, Math.max(generations.length - keep, 0))) await removeTree(old.path)
  return { number, path, history }
}

function removeTree(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true })
}
