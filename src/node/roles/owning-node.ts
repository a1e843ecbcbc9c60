import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { diskBytes } from '../core/data-directory.ts'
import type { RecordedPool } from '../intake/unacknowledged-pool.ts'
import type { LeaderReply, LeaderRequest } from '../log/record-source.ts'
import type { RemovedTransaction } from '../view/pool-reconciler.ts'
import type { CoreOwner, NodeCore } from './node-core.ts'
import type { LogPosition, OwnedChain, ReplicationAccess } from './node-handle.ts'
import { RunningNode } from './running-node.ts'

/** A node that owns its data directory, in whose records other processes can follow it. */
export abstract class OwningNode extends RunningNode implements OwnedChain, CoreOwner {
  readonly replication: ReplicationAccess
  protected readonly core: NodeCore

  constructor(core: NodeCore) {
    const { config, engine, current, directory, identity, records, chain } = core
    super({ config, engine, current, damage: directory.store.damage })
    this.core = core
    this.replication = {
      identity,
      settings: () => this.settings(),
      records,
      chain,
      view: () => current.view(),
      poolAsOf: (sequence) => this.poolAsOf(sequence),
      submit: (raw, from) => this.submit(raw, from),
      answerRequests: (answer) => this.answerRequests(answer),
      isReplacing: () => this.isReplacing,
      isOnDemand: () => this.isOnDemand,
    }
  }

  /** Whether store and records are being replaced, so that there is nothing to follow. */
  abstract get isReplacing(): boolean
  abstract rebase(base: Snapshot, baseTrie: StateTrie): void
  abstract waiting(): readonly PoolTransaction[] | undefined
  abstract onDropped(left: readonly RemovedTransaction[]): void
  abstract halt(): void
  /** Answers requests that followers forward through the replicated log. */
  protected abstract answerRequests(answer: (request: LeaderRequest) => Promise<LeaderReply>): void

  /** The pool as of a record. A follower shows durable records only; a leader's pool may be ahead of its records. */
  protected poolAsOf(_sequence: number): RecordedPool {
    const { pool } = this.core.current
    return { waiting: pool.waiting(), dropped: pool.dropped() }
  }

  protected firstAbove(stored: number): Omit<LogPosition, 'to'> {
    const { directory, records } = this.core
    return { directory: directory.path, from: records.firstAbove(stored) }
  }

  diskBytes(): Promise<number> {
    return diskBytes(this.core.directory.path)
  }
}
