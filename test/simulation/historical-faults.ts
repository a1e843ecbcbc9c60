import type { Mutant } from './mutants.ts'

const POOL_MIRROR = 'src/node/following/pool-mirror.ts'

/** Faults that this project had, named by the commits that ended them. */
export const HISTORICAL_FAULTS: readonly Mutant[] = [
  {
    name: '4c23bee4 followers report a replacement that the leader refuses',
    changes: [{ file: POOL_MIRROR, from: 'pool.addRecorded(transaction)', to: 'pool.add(transaction)' }],
  },
  {
    name: 'f751abf5 a take-over trusts one answer of a former leader of the stream',
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
    name: '93f5d9e1 a start keeps unpublished records when the stream seems to lack others',
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
    changes: [
      { file: 'src/replication/nats/nats-source.ts', from: 'return oldest === 1', to: 'return ends.last === 0' },
    ],
  },
  {
    name: '2bdd89c1 followers forget a transaction whose replacement was refused',
    changes: [{ file: 'src/node/intake/submissions.ts', from: 'await this.#keep(transaction)', to: '' }],
  },
  {
    name: '95ef2df4 a replacement is judged while the first is in flight',
    changes: [
      {
        file: 'src/node/intake/submissions.ts',
        from: ' || this.#records.has(nonceKey(transaction))\n  }',
        to: '\n  }',
      },
    ],
  },
  {
    name: 'b7504080 a replica that begins anew shows older heads',
    changes: [
      {
        file: 'src/node/roles/follower.ts',
        from: 'this.chain.hold(isHeld ? Math.min(shown, handshake.newestSequence) : undefined)',
        to: 'this.chain.hold(undefined)',
      },
    ],
  },
  {
    name: '6790e68c a start drops transactions without a record',
    changes: [
      {
        file: 'src/node/roles/solo-node.ts',
        from: 'current.pool.announceDropped(current.pool.restore(pooled, dropped))',
        to: 'current.pool.restore(pooled, dropped)',
      },
    ],
  },
  {
    name: '9c2baa0f a node that stands down forgets transactions that others have',
    changes: [
      {
        file: 'src/node/roles/leadership.ts',
        from: 'if (this.#term.isEnded) this.keepUnrecordedDrops(transactions)',
        to: 'if (this.#term.isEnded) return',
      },
    ],
  },
  {
    name: '1e16e7bc a take-over drops transactions without a record',
    changes: [
      {
        file: POOL_MIRROR,
        from: 'pool.announceDropped(this.applied(Number.POSITIVE_INFINITY))',
        to: 'this.applied(Number.POSITIVE_INFINITY)',
      },
    ],
  },
  {
    name: 'cac7be6e a filter goes on after a snapshot',
    changes: [
      {
        file: 'src/rpc/filters/unwindings.ts',
        from: 'if (!isComplete) {\n      this.#forget(after)\n      return\n    }',
        to: '',
      },
    ],
  },
  {
    name: '5c1e16c0 a replica forgets the pool of its snapshot at a restart',
    changes: [
      {
        file: 'src/node/roles/recover-stored.ts',
        from: 'withTransferredPool(withSnapshot(directory.store, transferredPool), recorded, recovered)',
        to: '{ pooled: recovered.pooled, dropped: recovered.dropped }',
      },
    ],
  },
  {
    name: '6bef86cf a snapshot has transactions of records that may be lost',
    changes: [
      {
        file: 'src/node/intake/unacknowledged-pool.ts',
        from: 'Array.from(this.#inFlight).flatMap(([transaction, at]) => (at <= sequence ? transaction : []))',
        to: '[...this.#inFlight.keys()]',
      },
    ],
  },
]
