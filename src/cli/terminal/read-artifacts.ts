import { readdirSync, readFileSync, statSync } from 'node:fs'
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

/**
 * The artifacts below a folder: `out` of Foundry or `artifacts` of Hardhat. Files that are none are passed over.
 *
 * @throws ArtifactsError
 */
export function readArtifacts(folder: string, log: Pick<Logger, 'warn'>): Artifact[] {
  requireArtifacts(folder)
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.json') && !path.split(/[/\\]/).some((part) => SKIPPED.test(part)))
      .flatMap((path) => readArtifact(join(folder, path), log) ?? [])
  } catch (error) {
    throw new ArtifactsError(`--abi: ${folder} cannot be read: ${(error as Error).message}`)
  }
}

function readArtifact(path: string, log: Pick<Logger, 'warn'>): Artifact | undefined {
  try {
    if (statSync(path).size > MAX_BYTES) return undefined
    return artifactOf(JSON.parse(readFileSync(path, 'utf8')), basename(path, '.json'))
  } catch (error) {
    log.warn({ err: error, path }, 'an artifact cannot be read')
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
