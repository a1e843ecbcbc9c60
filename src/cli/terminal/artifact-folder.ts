import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Artifact } from './abi-book.ts'
import { ArtifactsError, readArtifacts } from './read-artifacts.ts'

/** Milliseconds between two looks at the folder, each of which reads the time of every file. */
const MIN_INTERVAL_MS = 1_000

export interface ArtifactFolderDeps {
  readonly log: Pick<Logger, 'warn'>
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
}

/** The artifacts of `--abi`, which compilers rewrite while the node runs. */
export class ArtifactFolder {
  readonly #folder: string
  readonly #deps: ArtifactFolderDeps
  /** Time and size of each file when it was read. */
  readonly #versions = new Map<string, string>()
  #lookedAt: number

  constructor(folder: string, deps: ArtifactFolderDeps) {
    this.#folder = folder
    this.#deps = deps
    this.#lookedAt = deps.now()
  }

  /**
   * Reads all artifacts, and warns if there are none.
   *
   * @throws ArtifactsError
   */
  readAll(): readonly Artifact[] {
    this.#versions.clear()
    const artifacts = this.#readChanged()
    if (artifacts.length === 0) {
      const reason =
        'there are no artifacts in the folder of --abi: compile, or name out (Foundry) or artifacts (Hardhat)'
      this.#deps.log.warn({ folder: this.#folder }, reason)
    }
    return artifacts
  }

  /** The artifacts of files that are new or rewritten since they were last read. Looks at most once a second. */
  readChanged(): readonly Artifact[] {
    if (this.#deps.now() - this.#lookedAt < MIN_INTERVAL_MS) return []
    try {
      return this.#readChanged()
    } catch (error) {
      // A compiler may delete the folder before it writes it anew.
      if (error instanceof ArtifactsError) return []
      throw error
    }
  }

  #readChanged(): readonly Artifact[] {
    this.#lookedAt = this.#deps.now()
    return readArtifacts(this.#folder, this.#deps.log, (path) => this.#hasChanged(path))
  }

  #hasChanged(path: string): boolean {
    const stats = statSync(path, { throwIfNoEntry: false })
    const version = stats === undefined ? 'absent' : `${stats.mtimeMs} ${stats.size}`
    const hasChanged = this.#versions.get(path) !== version
    this.#versions.set(path, version)
    return hasChanged
  }
}
