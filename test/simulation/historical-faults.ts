import type { Mutant } from './mutants.ts'

const POOL_MIRROR = 'src/node/following/pool-mirror.ts'

/** Faults that this project had, named by the commits that ended them. */
export const HISTORICAL_FAULTS: readonly Mutant[] = [
  {
    name: '4c23bee4 followers report a replacement that the leader refuses',
    foundBy: 14,
    changes: [{ file: POOL_MIRROR, from: 'pool.addRecorded(transaction)', to: 'pool.add(transaction)' }],
  },
  {
    name: 'f751abf5 a take-over trusts one answer of a former leader of the stream',
    foundBy: 29,
    profile: 'nats',
    changes: [
      {
        file: 'src/replication/nats/stream-reader.ts',
        from: 'last >= first && (await this.message(last)) === undefined',
        to: 'false',
      },
      {
        file: 'src/node/roles/failover/take-over.ts',
        from: 'if (published > records.lastSequence) {',
        to: 'if (published < 0) {',
      },
    ],
  },
  {
    name: '8526c29c a start keeps unpublished records when the stream seems to lack others',
    foundBy: 62,
    profile: 'nats',
    changes: [
      {
        file: 'src/node/log/trim-to-replicated-log.ts',
        from: "(await trimming) !== 'lost' || isLast",
        to: 'true || (await trimming) || isLast',
      },
    ],
  },
  {
    name: '49bfd437 a follower that starts before the first block needs a snapshot',
    foundBy: 13,
    changes: [
      { file: 'src/replication/nats/nats-source.ts', from: 'return oldest === 1', to: 'return ends.last === 0' },
    ],
  },
  {
    name: 'b7504080 a replica that begins anew shows older heads',
    foundBy: 23,
    changes: [
      {
        file: 'src/node/roles/follower.ts',
        from: 'this.chain.hold(isHeld ? Math.min(shown, handshake.newestSequence) : undefined)',
        to: 'this.chain.hold(undefined)',
      },
    ],
  },
  {
    name: 'ff87eff9 a standby names the record of its head for a transaction that was sent again',
    foundBy: 1,
    profile: 'nats',
    changes: [
      {
        file: 'src/node/roles/failover/rerouted-submissions.ts',
        from: 'sequence: records.lastSequence }',
        to: 'sequence: Math.min(view().head.sequence, records.lastSequence) }',
      },
    ],
  },
  {
    name: 'cc966cb2 a follower that skips blocks reports drops that they contradict',
    foundBy: 1,
    changes: [
      {
        file: 'src/node/view/pool-reconciler.ts',
        from: "!(step === 'skips' && reason.code === 'NONCE_USED')",
        to: "!(step === 'skips' && reason.code === 'REPLACED')",
      },
    ],
  },
  {
    name: '1eb93e6e a replica that begins anew judges old records by its pool',
    foundBy: 1,
    profile: 'development',
    changes: [
      {
        file: POOL_MIRROR,
        from: 'until: Math.max(until, Math.min(this.#sequence, newest)) }',
        to: 'until: Math.max(until, Math.min(0, newest)) }',
      },
      {
        file: POOL_MIRROR,
        from: 'if (this.#current.pool.isReplaced(transaction.hash)) continue',
        to: '',
      },
    ],
  },
  {
    name: 'd2087efb a former leader of the stream passes for one without a message',
    foundBy: 1,
    profile: 'nats',
    changes: [
      {
        file: 'src/replication/nats/stream-reader.ts',
        from: 'if ((await this.#get(newest)) === undefined) throw',
        to: 'if (newest < 0) throw',
      },
      {
        file: 'src/node/log/join-replicated-log.ts',
        from: 'if (there === undefined) throw missingRecord(shared, sequence)',
        to: 'if (there === undefined) return false',
      },
    ],
  },
  {
    name: '07e8dab2 a pool checkpoint names a record that was cut off',
    foundBy: 1,
    profile: 'crashes',
    changes: [{ file: 'src/node/log/record-log.ts', from: 'first <= this.#poolCheckpoint &&', to: '' }],
  },
]
