import { statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { type Artifact, artifactOf } from './abi-book.ts'

/** Larger files hold the input of compilers. */
const MAX_BYTES = 32 * 2 ** 20
/** Compiler input and debug information. */
const SKIPPED = /^build-info$|\.dbg\.json$/

/** `--abi` names no folder that can be read. */
export class ArtifactsError extends Error {
  override readonly name = 'ArtifactsError'
  readonly code = 'NO_ARTIFACTS'
}

/**
 * Checks that the folder exists, before a node starts that would read it.
 *
 * @throws ArtifactsError
 */
export function requireArtifacts(folder: string): void {
  if (isFolder(folder)) return
  throw new ArtifactsError(
    `--abi: there is no readable folder at ${folder}: name out (Foundry) or artifacts (Hardhat), and compile first`,
  )
}

/** An artifact and its path below the folder. */
interface ArtifactFile {
  readonly path: string
  readonly artifact: Artifact
}

/**
 * The artifacts below a folder: `out` of Foundry or `artifacts` of Hardhat. Files that are none are passed over. Reads
 * one file after the other, so that a running node is not held up.
 *
 * @param versions time and size of each file when it was last read: files with the same are passed over
 * @throws ArtifactsError
 */
export async function* readArtifacts(
  folder: string,
  log: Pick<Logger, 'warn'>,
  versions = new Map<string, string>(),
): AsyncGenerator<ArtifactFile> {
  requireArtifacts(folder)
  for (const path of await artifactPaths(folder)) {
    const artifact = await readArtifact(join(folder, path), log, versions)
    if (artifact !== undefined) yield { path, artifact }
  }
}

/** Characters of all ABIs together that `readAbis` returns. */
const MAX_ABI_CHARACTERS = 8 * 2 ** 20

/** The ABIs of the artifacts below a folder that have items, by name, as far as they fit into 8 MiB. */
export async function readAbis(
  folder: string,
  log: Pick<Logger, 'warn'>,
): Promise<readonly Pick<Artifact, 'name' | 'abi'>[]> {
  const abis: Pick<Artifact, 'name' | 'abi'>[] = []
  let characters = 0
  for await (const { path, artifact } of readArtifacts(folder, log)) {
    const { name, abi } = artifact
    const length = jsonLength(abi)
    if (abi.length === 0 || length === undefined) continue
    characters += length
    if (characters > MAX_ABI_CHARACTERS) {
      log.warn({ path }, 'the studio gets no ABIs from this file on: they are larger than 8 MiB')
      break
    }
    abis.push({ name, abi })
  }
  return abis
}

/** `undefined`: members that no ABI has are nested too deeply for JSON.stringify. */
function jsonLength(abi: Artifact['abi']): number | undefined {
  try {
    return JSON.stringify(abi).length
  } catch {
    return undefined
  }
}

async function artifactPaths(folder: string): Promise<readonly string[]> {
  try {
    const paths = await readdir(folder, { recursive: true, encoding: 'utf8' })
    return paths.filter(isArtifactPath).sort()
  } catch (error) {
    throw new ArtifactsError(`--abi: ${folder} cannot be read: ${(error as Error).message}`)
  }
}

function isArtifactPath(path: string): boolean {
  return path.endsWith('.json') && !path.split(/[/\\]/).some((part) => SKIPPED.test(part))
}

/** Pipes are passed over: reading one waits for a writer. */
async function readArtifact(
  path: string,
  log: Pick<Logger, 'warn'>,
  versions: Map<string, string>,
): Promise<Artifact | undefined> {
  const before = versions.get(path)
  let version = 'absent'
  try {
    const stats = await stat(path)
    version = `${stats.mtimeMs} ${stats.size}`
    if (version === before || !stats.isFile() || stats.size > MAX_BYTES) return undefined
    return artifactOf(JSON.parse(await readFile(path, 'utf8')), basename(path, '.json'))
  } catch (error) {
    if (version !== before) log.warn({ err: error, path }, 'an artifact cannot be read')
    return undefined
  } finally {
    versions.set(path, version)
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
