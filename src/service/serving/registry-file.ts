import { type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { readBoundedFile } from '../../primitives/bounded-file.ts'
import { parseRegistry, RegistryError } from '../../rest/tokenized-stocks/parse-registry.ts'
import type { Registry } from '../../rest/tokenized-stocks/registry.ts'
import { systemErrorCode } from '../../storage/storage-error.ts'

/** Milliseconds between checks of the file. */
const WATCH_INTERVAL_MS = 1_000

export interface RegistryFileParts {
  readonly log: {
    info(details: object, message: string): void
    error(details: object, message: string): void
  }
  /** Repeats an action at an interval in milliseconds; returns a cancel function. Default: an unreferenced timer. */
  readonly every?: (interval: number, action: () => Promise<void>) => () => void
}

/**
 * The stock registry of a file. The file is reloaded when it changes; while it is invalid, the previous registry
 * stays in effect.
 */
export class RegistryFile {
  readonly #path: string
  readonly #log: RegistryFileParts['log']
  readonly #endLooks: () => void
  #registry: Registry
  /** State of the file when it was last read. */
  #version: string
  /** State of the file at the last check. */
  #seen: string | undefined

  /** @throws RegistryError that names file, line and column */
  constructor({ path }: { readonly path: string }, { log, every = everyInterval }: RegistryFileParts) {
    this.#path = path
    this.#log = log
    this.#version = currentVersion(path)
    this.#registry = read(path)
    // Not fs.watch: editors replace files, and some file systems do not notify. Not fs.watchFile: it misses a change
    // before its first check.
    this.#endLooks = every(WATCH_INTERVAL_MS, () => this.#look())
  }

  get registry(): Registry {
    return this.#registry
  }

  reload(): void {
    this.#version = currentVersion(this.#path)
    try {
      const registry = read(this.#path)
      if (registry.digest === this.#registry.digest) return
      this.#registry = registry
      this.#log.info({ file: this.#path, tokens: registry.tokens.length }, 'stock registry reloaded')
    } catch (error) {
      this.#log.error({ err: error }, 'stock registry is invalid: the previous one stays in effect')
    }
  }

  close(): void {
    this.#endLooks()
  }

  async #look(): Promise<void> {
    const version = await stat(this.#path).then(versionOf, () => GONE)
    // Not read while it is being written: it must be unchanged in two consecutive checks.
    if (version !== this.#version && version === this.#seen) this.reload()
    this.#seen = version
  }
}

function everyInterval(interval: number, action: () => Promise<void>): () => void {
  const timer = setInterval(() => void action(), interval).unref()
  return () => clearInterval(timer)
}

const GONE = 'gone'
const MAX_BYTES = 16 * 2 ** 20

/** Taken before the file is read, so that a later write is detected at the next check. */
function currentVersion(path: string): string {
  try {
    return versionOf(statSync(path))
  } catch {
    return GONE
  }
}

/** Changes when the file is written or replaced. */
function versionOf({ ino, size, mtimeMs }: Stats): string {
  return [ino, size, mtimeMs].join()
}

function read(path: string): Registry {
  return parseRegistry(path, readText(path))
}

function readText(path: string): string {
  try {
    return readBoundedFile(path, MAX_BYTES).toString()
  } catch (error) {
    if (systemErrorCode(error) === undefined || !(error instanceof Error)) throw error
    throw new RegistryError(`the stock registry cannot be read: ${error.message}`)
  }
}
