import type { Mutant } from './mutants.ts'

const POOL_MIRROR = 'src/node/following/pool-mirror.ts'

/** Faults that this project had, named by the commits that ended them. */
export const HISTORICAL_FAULTS: readonly Mutant[] = [
  {
    name: '286def79 a node accepts NATS servers that acknowledge before they sync',
    foundBy: 1,
    profile: 'unsynced',
    changes: [
      {
        file: 'src/replication/nats/server-checks.ts',
        from: 'if (settings?.sync_always === true) return',
        to: 'if (settings !== undefined) return',
      },
    ],
  },
  {
    name: '4c23bee4 followers report a replacement that the leader refuses',
    foundBy: 12,
    changes: [{ file: POOL_MIRROR, from: 'pool.addRecorded(transaction)', to: 'pool.add(transaction)' }],
  },
  {
    name: '49bfd437 a follower that starts before the first block needs a snapshot',
    foundBy: 33,
    changes: [
      { file: 'src/replication/nats/nats-source.ts', from: 'return oldest === 1', to: 'return ends.last === 0' },
    ],
  },
  {
    name: 'b4b7b68c the announced chain is gone before the unwinding is durable',
    foundBy: 1,
    profile: 'development',
    changes: [
      {
        file: 'src/node/production/building/announcer.ts',
        from: "this.#record({ kind: 'unwind', ...record })\n    await this.#deps.journal.sync()",
        to: "this.#record({ kind: 'unwind', ...record })",
      },
    ],
  },
  {
    name: 'da919337 no standby of a new chain can take over',
    foundBy: 1,
    profile: 'nats',
    changes: [
      {
        file: 'src/node/roles/leadership.ts',
        from: 'if (current.isShown && content.base !== current.head.base)',
        to: 'if (content.base !== current.head.base)',
      },
    ],
  },
  {
    name: '62ac0cfd a node whose log begins within a block names record 0 to its RPC workers',
    foundBy: 26,
    changes: [{ file: 'src/node/log/record-log.ts', from: '    this.#openFirst = first\n', to: '' }],
  },
  {
    name: '1eb93e6e a replica that begins anew judges old records by its pool',
    foundBy: 46,
    effects: 10_000,
    profile: 'development',
    changes: [
      { file: POOL_MIRROR, from: 'until: Math.max(until, this.#sequence) }', to: 'until }' },
      { file: POOL_MIRROR, from: 'if (this.#current.pool.isReplaced(transaction.hash)) continue', to: '' },
    ],
  },
  {
    name: '6415f04c a start waits for ever when the node fails before it shows a head',
    foundBy: 59,
    changes: [{ file: 'src/node/roles/node-core.ts', from: "    events.on('failed', fail)\n", to: '' }],
  },
]
