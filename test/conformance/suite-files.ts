import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'

type Json = Readonly<Record<string, unknown>>

/** A folder without a suite of the requested kind; the message is for the user. */
export class SuiteError extends Error {
  override readonly name = 'SuiteError'
  readonly code = 'NOT_A_SUITE'
}

/** The member that identifies a kind of suite: `post` of a state test, `blocks` of a blockchain test. */
export type CaseMark = 'post' | 'blocks'

export interface SuiteFile {
  /** Path relative to the folder. */
  readonly path: string
  readonly cases: () => readonly (readonly [id: string, testCase: unknown])[]
}

/**
 * The files of a suite, at any depth: JSON, compressed or not, sorted by name. A file contains cases by id, or such
 * objects by the name of their source file.
 *
 * @throws SuiteError when the folder does not exist or contains no test files
 */
export function suiteFiles(folder: string): readonly SuiteFile[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new SuiteError(`there is no folder ${folder}`)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.json(?:\.gz)?$/.test(entry.name) && !/^(?:index|\.)/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  if (files.length === 0) throw new SuiteError(`${folder} holds no .json or .json.gz file of tests`)
  return files.map((file) => ({ path: relative(folder, file), cases: () => casesOf(file) }))
}

/** The cases of a file; those of another kind of suite are skipped. */
export function casesMarked(file: SuiteFile, mark: CaseMark): readonly (readonly [id: string, testCase: unknown])[] {
  return file.cases().filter(([, testCase]) => mark in (testCase as Json))
}

function casesOf(file: string): readonly (readonly [string, unknown])[] {
  const content = parse(file)
  return Object.entries(content).flatMap(([key, value]): (readonly [string, unknown])[] => {
    if (!isObject(value)) return []
    if (isCase(value)) return [[key, value]]
    return Object.entries(value).filter(([, inner]) => isObject(inner) && isCase(inner))
  })
}

function isCase(value: Json): boolean {
  return 'post' in value || 'blocks' in value
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(file: string): Json {
  const bytes = readFileSync(file)
  try {
    const content: unknown = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
    return isObject(content) ? content : {}
  } catch (error) {
    throw new SuiteError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
