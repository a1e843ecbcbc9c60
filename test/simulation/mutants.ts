import type { SourceChange } from './program/build-program.ts'

/** A fault that the simulation must find. */
export interface Mutant {
  readonly name: string
  readonly changes: readonly SourceChange[]
  /** Profile of the clusters that it concerns. Default: all. */
  readonly profile?: string
}

const ANNOUNCER = 'src/node/production/building/announcer.ts'
const SUBMISSIONS = 'src/node/intake/submissions.ts'
const SEGMENT_LOG = 'src/storage/segment-log.ts'

/** Synthetic faults in the sources of a node. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'announce-before-sync',
    changes: [
      {
        file: ANNOUNCER,
        from: 'await this.#deps.journal.sync()\n    const effects = inOneHead',
        to: 'void this.#deps.journal.sync()\n    const effects = inOneHead',
      },
    ],
  },
  {
    name: 'acknowledge-before-sync',
    changes: [
      {
        file: SUBMISSIONS,
        from: 'if (!isIncludedFirst) await journal.sync()',
        to: 'if (!isIncludedFirst) void journal.sync()',
      },
    ],
  },
  {
    name: 'append-without-sync',
    changes: [
      {
        file: SEGMENT_LOG,
        from: 'file: await this.#fileSystem.openForAppend(path, this.#isSynced), size: 0',
        to: 'file: await this.#fileSystem.openForAppend(path, false), size: 0',
      },
    ],
  },
  {
    name: 'new-file-without-name',
    changes: [
      {
        file: SEGMENT_LOG,
        from: 'if (isNew && this.#isSynced) await this.#fileSystem.syncDirectory(this.#directory)',
        to: '',
      },
    ],
  },
  {
    name: 'tail-not-truncated',
    changes: [{ file: SEGMENT_LOG, from: 'if (tornBytes > 0) await file.truncate(size)', to: '' }],
  },
  {
    name: 'pool-forgotten-at-start',
    changes: [{ file: 'src/node/machine/recovery.ts', from: 'pool.add(effect.transactions)', to: '' }],
  },
  {
    name: 'acknowledge-before-publish',
    changes: [
      {
        file: 'src/node/log/record-log.ts',
        from: "publisher && this.#measure('publish', publisher.flush())",
        to: 'void publisher?.flush().catch(() => undefined)',
      },
    ],
  },
  {
    name: 'lose-a-pool-entry-of-the-leader',
    changes: [
      {
        file: 'src/node/following/pool-mirror.ts',
        from: 'for (const transaction of transactions) {\n      const verdict',
        to: 'for (const transaction of transactions.slice(1)) {\n      const verdict',
      },
    ],
  },
  {
    name: 'keep-unpublished-records-at-start',
    changes: [
      {
        file: 'src/node/roles/failover-node.ts',
        from: 'await unlessAborted(trimToReplicatedLog(directory.log, replicated, chain.newest()!.number, deps), signal)',
        to: '',
      },
    ],
  },
]

/** All known faults. */
export const ALL_MUTANTS: readonly Mutant[] = MUTANTS
