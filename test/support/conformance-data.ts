import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const ROOT = new URL('../../../shared/conformance/', import.meta.url)

/**
 * Whether a file or folder of the conformance data is there; says aloud what is skipped when it is not.
 *
 * @example describe.skipIf(!hasConformanceData('execution-apis/chain.rlp', 'blocks of the chain'))(…)
 */
export function hasConformanceData(path: string, whatFor: string): boolean {
  if (existsSync(new URL(path, ROOT))) return true
  console.warn(`skipped: ${whatFor} (no ${path} in ../shared/conformance)`)
  return false
}

export function conformanceBytes(path: string): Buffer {
  return readFileSync(new URL(path, ROOT))
}

/** Parsed JSON; gzip-compressed when the name says so. */
export function conformanceJson(path: string): unknown {
  const bytes = conformanceBytes(path)
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
}

/** Every case below a folder of state or blockchain tests: `FORK/GROUP.json.gz`, by upstream file and test id. */
export function* conformanceCases(folder: string): Generator<readonly [id: string, testCase: unknown]> {
  for (const fork of readdirSync(new URL(`${folder}/`, ROOT), { withFileTypes: true })) {
    if (!fork.isDirectory() || fork.name === 'licenses') continue
    for (const group of readdirSync(new URL(`${folder}/${fork.name}/`, ROOT))) {
      const files = conformanceJson(`${folder}/${fork.name}/${group}`) as Record<string, Record<string, unknown>>
      for (const cases of Object.values(files)) yield* Object.entries(cases)
    }
  }
}
