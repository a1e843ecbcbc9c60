import { HISTORICAL_FAULTS } from './historical-faults.ts'
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
  {
    name: 'apply-a-record-twice',
    changes: [
      {
        file: 'src/node/following/replica-chain.ts',
        from: 'for (const { payload, record } of run.slice(0, applied)) records.appendEncoded(payload, record)',
        to: 'for (const { payload, record } of [...run.slice(0, 1), ...run.slice(0, applied)]) records.appendEncoded(payload, record)',
      },
    ],
  },
  {
    name: 'skip-the-fence',
    profile: 'nats',
    changes: [
      {
        file: 'src/replication/nats/nats-publisher.ts',
        from: 'if (message?.part !== undefined) throw this.#fenced(message.part.first)',
        to: '',
      },
    ],
  },
  {
    name: 'forget-an-unwinding-in-filters',
    profile: 'development',
    changes: [
      {
        file: 'src/rpc/filters/filter-set.ts',
        from: "events.on('unwound', (event) => this.unwindings.add(event, deps.node.view().head.sequence, deps.now()))",
        to: '',
      },
    ],
  },
  {
    name: 'forget-removed-logs-of-subscriptions',
    profile: 'development',
    changes: [
      {
        file: 'src/rpc/subscriptions/subscription-hub.ts',
        from: "return on(this.#deps.node.events, 'unwound', (event) =>\n      this.#publish(channel.key, listeners, () => removals(event)),\n    )",
        to: 'return () => {}',
      },
    ],
  },
  {
    name: 'lose-a-notification',
    changes: [
      {
        file: 'src/rpc/subscriptions/subscription-hub.ts',
        from: 'this.#deliveries.push(groupBySize(texts), listeners, onFirst)',
        to: 'this.#deliveries.push(groupBySize(texts.length > 2 ? texts.slice(1) : texts), listeners, onFirst)',
      },
    ],
  },
  {
    name: 'keep-slow-clients',
    changes: [
      {
        file: 'src/server/websocket/outgoing-socket.ts',
        from: 'socket.bufferedAmount === 0 || socket.bufferedAmount + bytes <= maxWaiting()',
        to: 'true',
      },
    ],
  },
  {
    name: 'unwind-without-the-pool',
    profile: 'development',
    changes: [
      {
        file: 'src/node/production/unwinding.ts',
        from: "  // Recovery takes the pool from this record.\n  journal.append({ kind: 'pool', transactions: waiting() })",
        to: "  journal.append({ kind: 'pool', transactions: [] })",
      },
    ],
  },
  {
    name: 'ignore-drops-of-the-leader',
    changes: [
      {
        file: 'src/node/following/pool-mirror.ts',
        from: 'for (const { hash, reason } of transactions) this.#current.pool.applyDrop(hash, reason)',
        to: '',
      },
    ],
  },
  {
    name: 'answer-before-the-record-is-applied',
    changes: [
      {
        file: 'src/node/following/forwarded-send.ts',
        from: "await appliedInTime('the transaction was taken', sequence, deps)",
        to: '',
      },
    ],
  },
  {
    name: 'trust-damaged-frames',
    changes: [
      {
        file: 'src/storage/segment-frame.ts',
        from: 'return crc32(frame.subarray(8)) === checksum',
        to: 'return crc32(frame.subarray(8)) === checksum || frame.length > 400',
      },
    ],
  },
]

/** All known faults. */
export const ALL_MUTANTS: readonly Mutant[] = [...MUTANTS, ...HISTORICAL_FAULTS]
