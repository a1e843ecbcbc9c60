import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { type Artifact, artifactOf } from './abi-book.ts'

/** Larger files hold the input of compilers. */
const MAX_BYTES = 32 * 2 ** 20
/** Compiler input and debug information. */
const SKIPPED = /^build-info$|\.dbg\.json$/

const UNREADABLE = 'an artifact cannot be read'

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

/**
 * The artifacts below a folder: `out` of Foundry or `artifacts` of Hardhat. Files that are none are passed over.
 *
 * @param isWanted whether the file at a path is read; default: every one
 * @throws ArtifactsError
 */
export function readArtifacts(
  folder: string,
  log: Pick<Logger, 'warn'>,
  isWanted: (path: string) => boolean = () => true,
): Artifact[] {
  requireArtifacts(folder)
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(isArtifactPath)
      .map((path) => join(folder, path))
      .filter(isWanted)
      .flatMap((path) => readArtifact(path, log) ?? [])
  } catch (error) {
    throw new ArtifactsError(`--abi: ${folder} cannot be read: ${(error as Error).message}`)
  }
}

/** Characters of all ABIs together that `readAbis` returns. */
const MAX_ABI_CHARACTERS = 8 * 2 ** 20

/**
 * The ABIs of the artifacts below a folder that have items, by name, as far as they fit into 8 MiB. Reads one file
 * after the other, so that a running node is not held up.
 */
export async function readAbis(
  folder: string,
  log: Pick<Logger, 'warn'>,
): Promise<readonly Pick<Artifact, 'name' | 'abi'>[]> {
  const abis: Pick<Artifact, 'name' | 'abi'>[] = []
  let characters = 0
  const paths = (await readdir(folder, { recursive: true, encoding: 'utf8' })).filter(isArtifactPath).sort()
  for (const path of paths) {
    const { name, abi } = (await readAbi(join(folder, path), log)) ?? { name: '', abi: [] }
    characters += JSON.stringify(abi).length
    if (characters > MAX_ABI_CHARACTERS) {
      log.warn({ path }, 'the studio gets no ABIs from this file on: they are larger than 8 MiB')
      break
    }
    if (abi.length > 0) abis.push({ name, abi })
  }
  return abis
}

async function readAbi(path: string, log: Pick<Logger, 'warn'>): Promise<Artifact | undefined> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined
    return artifactOf(JSON.parse(await readFile(path, 'utf8')), basename(path, '.json'))
  } catch (error) {
    log.warn({ err: error, path }, UNREADABLE)
    return undefined
  }
}

function isArtifactPath(path: string): boolean {
  return path.endsWith('.json') && !path.split(/[/\\]/).some((part) => SKIPPED.test(part))
}

function readArtifact(path: string, log: Pick<Logger, 'warn'>): Artifact | undefined {
  try {
    if (statSync(path).size > MAX_BYTES) return undefined
    return artifactOf(JSON.parse(readFileSync(path, 'utf8')), basename(path, '.json'))
  } catch (error) {
    log.warn({ err: error, path }, UNREADABLE)
    return undefined
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
