import { readFileSync, type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { parseRegistry, RegistryError } from '../rest/tokenized-stocks/parse-registry.ts'
import type { Registry } from '../rest/tokenized-stocks/registry.ts'
import { systemErrorCode } from '../storage/storage-error.ts'

/** Milliseconds between looks at the file. */
const WATCH_INTERVAL = 1_000

export interface RegistryFileOptions {
  readonly path: string
  /** Milliseconds between looks at the file; a second by default. */
  readonly interval?: number
}

export interface RegistryFileParts {
  readonly log: {
    info(details: object, message: string): void
    error(details: object, message: string): void
  }
}

/**
 * The registry of stocks as its file says it. The file is read again when it changes; while it cannot be used, the registry
 * stays what it was.
 */
export class RegistryFile {
  readonly #path: string
  readonly #log: RegistryFileParts['log']
  readonly #timer: NodeJS.Timeout
  #registry: Registry
  /** Of the file when it was last read. */
  #version: string

  /** @throws RegistryError that names file, line and column */
  constructor({ path, interval = WATCH_INTERVAL }: RegistryFileOptions, { log }: RegistryFileParts) {
    this.#path = path
    this.#log = log
    this.#version = currentVersion(path)
    this.#registry = read(path)
    // Not fs.watch: editors replace a file, and some file systems tell nothing. Not fs.watchFile: a change before its first
    // look would be missed.
    this.#timer = setInterval(() => void this.#look(), interval).unref()
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
      this.#log.info({ file: this.#path, tokens: registry.tokens.length }, 'the registry of stocks was read again')
    } catch (error) {
      this.#log.error({ err: error }, 'the registry of stocks cannot be used: what was read before stays')
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #look(): Promise<void> {
    const version = await stat(this.#path).then(versionOf, () => GONE)
    if (version !== this.#version) this.reload()
  }
}

const GONE = 'gone'

/** Taken before the file is read, so that what is written then is seen at the next look. */
function currentVersion(path: string): string {
  try {
    return versionOf(statSync(path))
  } catch {
    return GONE
  }
}

/** Differs when a file was written or replaced. */
function versionOf({ ino, size, mtimeMs }: Stats): string {
  return [ino, size, mtimeMs].join()
}

function read(path: string): Registry {
  return parseRegistry(path, readText(path))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === undefined || !(error instanceof Error)) throw error
    throw new RegistryError(`the registry of stocks cannot be read: ${error.message}`)
  }
}
