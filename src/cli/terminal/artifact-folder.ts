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
  async readAll(): Promise<readonly Artifact[]> {
    this.#versions.clear()
    const artifacts: Artifact[] = []
    for await (const artifact of this.#readNew()) artifacts.push(artifact)
    if (artifacts.length === 0) {
      const reason =
        'there are no artifacts in the folder of --abi: compile, or name out (Foundry) or artifacts (Hardhat)'
      this.#deps.log.warn({ folder: this.#folder }, reason)
    }
    return artifacts
  }

  /** The artifacts of files that are new or rewritten since they were last read. Looks at most once a second. */
  async *readChanged(): AsyncGenerator<Artifact> {
    if (this.#deps.now() - this.#lookedAt < MIN_INTERVAL_MS) return
    try {
      yield* this.#readNew()
    } catch (error) {
      // A compiler may delete the folder before it writes it anew.
      if (!(error instanceof ArtifactsError)) throw error
    }
  }

  async *#readNew(): AsyncGenerator<Artifact> {
    try {
      for await (const { artifact } of readArtifacts(this.#folder, this.#deps.log, this.#versions)) yield artifact
    } finally {
      // The interval begins after the look, which takes long in a large folder.
      this.#lookedAt = this.#deps.now()
    }
  }
}
