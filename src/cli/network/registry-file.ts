import { readFileSync, type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { parseRegistry, RegistryError } from '../../rest/tokenized-stocks/parse-registry.ts'
import type { Registry } from '../../rest/tokenized-stocks/registry.ts'
import { systemErrorCode } from '../../storage/storage-error.ts'

/** Milliseconds between looks at the file. */
const WATCH_INTERVAL = 1_000

export interface RegistryFileParts {
  readonly log: {
    info(details: object, message: string): void
    error(details: object, message: string): void
  }
  /** Does something again and again, milliseconds apart; gives what ends it. By timers that keep no process alive by default. */
  readonly every?: (interval: number, action: () => Promise<void>) => () => void
}

/**
 * The registry of stocks as its file says it. The file is read again when it changes; while it cannot be used, the registry
 * stays what it was.
 */
export class RegistryFile {
  readonly #path: string
  readonly #log: RegistryFileParts['log']
  readonly #endLooks: () => void
  #registry: Registry
  /** Of the file when it was last read. */
  #version: string
  /** Of the file at the last look. */
  #seen: string | undefined

  /** @throws RegistryError that names file, line and column */
  constructor({ path }: { readonly path: string }, { log, every = everyInterval }: RegistryFileParts) {
    this.#path = path
    this.#log = log
    this.#version = currentVersion(path)
    this.#registry = read(path)
    // Not fs.watch: editors replace a file, and some file systems tell nothing. Not fs.watchFile: a change before its first
    // look would be missed.
    this.#endLooks = every(WATCH_INTERVAL, () => this.#look())
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
    this.#endLooks()
  }

  async #look(): Promise<void> {
    const version = await stat(this.#path).then(versionOf, () => GONE)
    // One that is being written is not read: it has to be the same at two looks.
    if (version !== this.#version && version === this.#seen) this.reload()
    this.#seen = version
  }
}

function everyInterval(interval: number, action: () => Promise<void>): () => void {
  const timer = setInterval(() => void action(), interval).unref()
  return () => clearInterval(timer)
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
