import type { Entry } from '../../../src/storage/key-value.ts'
import { StorageError } from '../../../src/storage/storage-error.ts'
import type { DiskCondition } from './disk-condition.ts'
import type { Random } from './random.ts'
import type { Actor, Scheduler } from './scheduler.ts'
import type { Trace } from './trace.ts'

/** Tables by their name in the file; entries sorted by key. Never changed once published. */
export type DatabaseContent = ReadonlyMap<string, readonly Entry[]>

export interface DatabaseDeps {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly trace: Trace
  readonly condition: DiskCondition
}

interface Commit {
  readonly actor: Actor
  readonly content: DatabaseContent
}

export interface DatabaseSettings {
  /** Median of a commit, in milliseconds. */
  readonly commitMs: number
  /** Median of the time after which the process that commits knows of it: other ones see it earlier. 0: at once. */
  readonly noticeMs: number
}

/**
 * The key-value store of one machine with the promises of LMDB: commits are atomic, durable when they resolve, and in
 * order. The one in progress when the process dies survives completely or not at all.
 */
export class SimulatedDatabase {
  readonly #settings: DatabaseSettings
  readonly #deps: DatabaseDeps
  #content: DatabaseContent = new Map()
  #underway: Commit | undefined

  constructor(settings: DatabaseSettings, deps: DatabaseDeps) {
    this.#settings = settings
    this.#deps = deps
  }

  get content(): DatabaseContent {
    return this.#content
  }

  /** Puts a copy in place of the content, while no process runs. */
  restore(content: DatabaseContent): void {
    this.#content = content
  }

  /** One commit at a time. A failed one changes nothing. */
  commit(actor: Actor, content: DatabaseContent, label: string): Promise<void> {
    const { scheduler, trace, condition, random } = this.#deps
    const { commitMs, noticeMs } = this.#settings
    const commit = { actor, content }
    this.#underway = commit
    return new Promise((resolve, reject) => {
      scheduler.after(condition.delay(commitMs), actor, `commit ${label}`, () => {
        this.#underway = undefined
        const failure = condition.failure()
        if (failure !== undefined) {
          reject(new StorageError('COMMIT_FAILED', `simulated: ${failure.message}`, { cause: failure }))
          return
        }
        this.#content = content
        trace.content(label)
        if (noticeMs === 0) resolve()
        else scheduler.after(random.delay(noticeMs), actor, 'committed', resolve)
      })
    })
  }

  /** The process was killed, or the machine lost power. */
  kill(actor: Actor): void {
    const commit = this.#underway
    this.#underway = undefined
    if (commit?.actor === actor && this.#deps.random.isHit(0.5)) this.#content = commit.content
  }
}
