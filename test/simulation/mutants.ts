import { HISTORICAL_FAULTS } from './historical-faults.ts'
import type { SourceChange } from './program/build-program.ts'

/** A fault that the simulation must find. */
export interface Mutant {
  readonly name: string
  readonly changes: readonly SourceChange[]
  /** Profile of the clusters that it concerns. Default: all. */
  readonly profile?: string
  /** Effects that a run needs for it. Default: those of any run. */
  readonly effects?: number
  /** A seed that found it: other sources may need another one. */
  readonly foundBy: number
}

const ANNOUNCER = 'src/node/production/building/announcer.ts'
const SUBMISSIONS = 'src/node/intake/submissions.ts'
const WORKERS = 'src/server/cluster/rpc-workers.ts'
const WORKER_LINK = 'src/server/cluster/worker-link.ts'
const SEGMENT_LOG = 'src/storage/segment-log.ts'

/** Synthetic faults in the sources of a node. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'announce-before-sync',
    foundBy: 1,
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
    foundBy: 1,
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
    foundBy: 1,
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
    foundBy: 1,
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
    foundBy: 1,
    changes: [{ file: SEGMENT_LOG, from: 'if (tornBytes > 0) await file.truncate(size)', to: '' }],
  },
  {
    name: 'pool-forgotten-at-start',
    foundBy: 1,
    changes: [{ file: 'src/node/machine/recovery.ts', from: 'pool.add(effect.transactions)', to: '' }],
  },
  {
    name: 'acknowledge-before-publish',
    foundBy: 10,
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
    foundBy: 2,
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
    foundBy: 33,
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
    foundBy: 2,
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
    foundBy: 3,
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
    foundBy: 4,
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
    foundBy: 12,
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
    foundBy: 3,
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
    foundBy: 10,
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
    foundBy: 7,
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
    name: 'answer-before-the-record-is-applied',
    foundBy: 2,
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
    foundBy: 1,
    changes: [
      {
        file: 'src/storage/segment-frame.ts',
        from: 'return crc32(frame.subarray(8)) === checksum',
        to: 'return crc32(frame.subarray(8)) === checksum || frame.length > 400',
      },
    ],
  },
  {
    name: 'acknowledge-before-other-readers-have-it',
    foundBy: 2,
    profile: 'readers',
    changes: [{ file: WORKERS, from: 'await this.#common.reached(result.sequence)', to: '' }],
  },
  {
    name: 'put-back-a-poll-that-arrived',
    foundBy: 2,
    profile: 'readers',
    changes: [{ file: 'src/server/cluster/filter-routing.ts', from: 'if (isLost) link.call', to: 'link.call' }],
  },
  {
    name: 'start-a-reader-without-the-pool',
    foundBy: 1,
    profile: 'readers',
    changes: [{ file: WORKER_LINK, from: 'pooled: this.#pooled })', to: 'pooled: [] })' }],
  },
  {
    name: 'start-no-reader-again',
    foundBy: 1,
    profile: 'readers',
    changes: [{ file: WORKERS, from: 'this.#startLater(number, inARow, delay)', to: '' }],
  },
]

/** All known faults. */
export const ALL_MUTANTS: readonly Mutant[] = [...MUTANTS, ...HISTORICAL_FAULTS]
