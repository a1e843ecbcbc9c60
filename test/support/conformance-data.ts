import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { suiteFiles } from '../conformance/suite-files.ts'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/** Where `npm run conformance:fetch` puts the public suites; then the copies beside the checkout. */
const ROOTS = [join(PROJECT, '.conformance'), join(PROJECT, '../shared/conformance')]

/** Path of a conformance file or folder; `undefined` where neither root has it. */
export function findConformanceData(path: string): string | undefined {
  return ROOTS.map((root) => join(root, path)).find((candidate) => existsSync(candidate))
}

/**
 * Whether a file or folder of the conformance data exists. Warns which tests are skipped where it does not.
 *
 * @example describe.skipIf(!hasConformanceData('execution-apis/chain.rlp', 'blocks of the chain'))(…)
 */
export function hasConformanceData(path: string, tests: string): boolean {
  if (findConformanceData(path) !== undefined) return true
  console.warn(`skipped: ${tests} (no ${path} in .conformance or ../shared/conformance; try npm run conformance:fetch)`)
  return false
}

/** @throws Error where the file or folder is absent; guard the suite with `hasConformanceData` */
export function conformancePath(path: string): string {
  const found = findConformanceData(path)
  if (found === undefined) throw new Error(`no conformance data at ${path}`)
  return found
}

export function conformanceBytes(path: string): Buffer {
  return readFileSync(conformancePath(path))
}

/** Parsed JSON, decompressed where the name ends in `.gz`. */
export function conformanceJson(path: string): unknown {
  const bytes = conformanceBytes(path)
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
}

/** Every case in a folder of state tests or blockchain tests. */
export function* conformanceCases(folder: string): Generator<readonly [id: string, testCase: unknown]> {
  for (const file of suiteFiles(conformancePath(folder))) yield* file.cases()
}
