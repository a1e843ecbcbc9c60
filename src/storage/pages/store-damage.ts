import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRIVATE_FILE } from '../disk.ts'
import { StorageError } from '../storage-error.ts'
import type { DamagedPart } from './check-pages.ts'

const WAYS_OUT =
  'run `tickertape verify` to see what is damaged, then restore a backup, run `tickertape repair`, or remove the directory and import the chain or follow another node'

/** The database cannot be used. */
export function storeDamaged(path: string, what: string, cause?: unknown): StorageError {
  return new StorageError('STORE_DAMAGED', `the database in ${path} is damaged: ${what}; ${WAYS_OUT}`, { path, cause })
}

/** One read failed; others may succeed. */
export function dataDamaged(path: string, table: string, cause: unknown): StorageError {
  const message = `the database in ${path} is damaged: table ${table} cannot be read here; ${WAYS_OUT}`
  return new StorageError('DATA_DAMAGED', message, { path, table, cause })
}

/** One line about damaged parts, the tables with most damage first. */
export function describeParts(parts: readonly DamagedPart[]): string {
  const pages = new Map<string, number>()
  for (const part of parts) pages.set(part.table, (pages.get(part.table) ?? 0) + part.pages.length)
  const tables = [...pages].sort(([, left], [, right]) => right - left)
  return tables.map(([table, count]) => `table ${table} (${count} ${count === 1 ? 'page' : 'pages'})`).join(', ')
}

/** Result of the check of all pages, for other threads and processes that read the database. */
export const CHECKED_FILE = 'pages.checked'

export function writeCheckResult(directory: string, parts: readonly DamagedPart[]): void {
  const path = join(directory, CHECKED_FILE)
  writeFileSync(`${path}.new`, JSON.stringify(parts), { mode: PRIVATE_FILE })
  renameSync(`${path}.new`, path)
}

/** When the result was written, in milliseconds; `undefined` while the check runs. */
export function checkResultTime(directory: string): number | undefined {
  return statSync(join(directory, CHECKED_FILE), { throwIfNoEntry: false })?.mtimeMs
}

export function readCheckResult(directory: string): readonly DamagedPart[] {
  return JSON.parse(readFileSync(join(directory, CHECKED_FILE), 'utf8'))
}

/** To be called before the first other reader. */
export function removeCheckResult(directory: string): void {
  rmSync(join(directory, CHECKED_FILE), { force: true })
}
