import type { SourceChange } from './program/build-program.ts'

/** A fault that the simulation must find. */
export interface Mutant {
  readonly name: string
  readonly change: SourceChange
}

const ANNOUNCER = 'src/node/production/building/announcer.ts'
const SUBMISSIONS = 'src/node/intake/submissions.ts'
const SEGMENT_LOG = 'src/storage/segment-log.ts'

/** Synthetic faults in the sources of a node. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'announce-before-sync',
    change: {
      file: ANNOUNCER,
      from: 'await this.#deps.journal.sync()\n    const effects = inOneHead',
      to: 'void this.#deps.journal.sync()\n    const effects = inOneHead',
    },
  },
  {
    name: 'acknowledge-before-sync',
    change: {
      file: SUBMISSIONS,
      from: 'if (!isIncludedFirst) await journal.sync()',
      to: 'if (!isIncludedFirst) void journal.sync()',
    },
  },
  {
    name: 'append-without-sync',
    change: {
      file: SEGMENT_LOG,
      from: 'file: await this.#fileSystem.openForAppend(path, this.#isSynced), size: 0',
      to: 'file: await this.#fileSystem.openForAppend(path, false), size: 0',
    },
  },
  {
    name: 'new-file-without-name',
    change: {
      file: SEGMENT_LOG,
      from: 'if (isNew && this.#isSynced) await this.#fileSystem.syncDirectory(this.#directory)',
      to: '',
    },
  },
  {
    name: 'tail-not-truncated',
    change: { file: SEGMENT_LOG, from: 'if (tornBytes > 0) await file.truncate(size)', to: '' },
  },
  {
    name: 'pool-forgotten-at-start',
    change: { file: 'src/node/machine/recovery.ts', from: 'pool.add(effect.transactions)', to: '' },
  },
  {
    name: 'records-deleted-with-the-pool',
    change: {
      file: 'src/node/log/record-log.ts',
      from: 'poolCheckpoint: this.#poolCheckpoint,',
      to: 'poolCheckpoint: Number.MAX_SAFE_INTEGER,',
    },
  },
  {
    name: 'block-stored-before-its-seal',
    change: {
      file: ANNOUNCER,
      from: 'this.#flashblock(flashblock, seal)\n    this.#record(seal)',
      to: 'this.#record(seal)',
    },
  },
]
