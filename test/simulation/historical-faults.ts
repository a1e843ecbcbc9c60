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
        from: "(await trim(own, shared, stored)) === 'lost' && ",
        to: '(await trim(own, shared, stored)) === undefined && ',
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
]
