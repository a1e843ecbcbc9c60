import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import type { Engine } from '../../../engine/types.ts'
import type { PoolCounts } from '../../../pool/pool.ts'
import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { Clock } from '../../core/clock.ts'
import type { CurrentView } from '../../core/current-view.ts'
import type { NodeEventEmitter } from '../../core/events.ts'
import type { FollowedSource, NodeHandle, SetHeadResult, SubmitResult } from '../../core/node-handle.ts'
import type { View } from '../../core/view.ts'
import type { SenderRecovery } from '../../intake/sender-recovery.ts'
import type { StreamSettings } from '../../log/record-source.ts'
import type { RecordStream } from '../../streaming/record-stream.ts'
import type { SequencerCounts } from '../leader/sequencer.ts'
import { forwardTransaction } from './forwarded-send.ts'
import type { ReplicaChain } from './replica-chain.ts'
import { ReplicaError } from './replica-error.ts'
import type { FollowingStatus, SourceFollower } from './source-follower.ts'

export interface ReplicaOptions {
  readonly config: ChainConfig
}

export interface ReplicaParts {
  readonly engine: Engine
  readonly current: CurrentView
  readonly chain: ReplicaChain
  readonly follower: SourceFollower
  readonly records: RecordStream
  readonly senders: SenderRecovery
  readonly clock: Clock
  /** Of the node that sequences. */
  readonly settings: () => StreamSettings
  readonly source: (stored: number) => FollowedSource
  readonly diskBytes: () => Promise<number>
  /** Settles when sealed blocks are in the store. */
  readonly idle: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * A node that follows another one: it answers everything from its own head, and hands on what is sent. It executes
 * nothing but calls (design claim 3).
 */
export class Replica implements NodeHandle {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter
  readonly #parts: ReplicaParts
  #flashblocks = 0

  constructor({ config }: ReplicaOptions, parts: ReplicaParts) {
    this.config = config
    this.engine = parts.engine
    this.events = parts.current.events
    this.#parts = parts
    this.events.on('flashblock', () => {
      this.#flashblocks += 1
    })
  }

  get blockTimeMs(): number {
    return this.#parts.settings().blockTime
  }

  get slots(): number {
    return this.#parts.settings().slots
  }

  get gasLimit(): bigint {
    return this.#parts.settings().gasLimit
  }

  get finalityDepth(): number {
    return this.#parts.settings().finalityDepth
  }

  /** Flashblocks that were applied since the start. */
  get counts(): SequencerCounts {
    return { flashblocks: this.#flashblocks, missedSlots: 0 }
  }

  get poolCounts(): PoolCounts {
    return this.#parts.current.poolCounts
  }

  get hasFailed(): boolean {
    return this.#parts.current.hasFailed
  }

  /** What further replicas follow. */
  get records(): RecordStream {
    return this.#parts.records
  }

  /** How far it is, and how it came there. */
  get following(): FollowingStatus & { readonly sequence: number; readonly duplicates: number } {
    const { chain, follower } = this.#parts
    return { ...follower.status, sequence: chain.sequence, duplicates: chain.duplicates }
  }

  diskBytes(): Promise<number> {
    return this.#parts.diskBytes()
  }

  idle(): Promise<void> {
    return this.#parts.idle()
  }

  followed(): FollowedSource & { readonly to: number } {
    const { base, sequence } = this.#parts.current.head
    return { ...this.#parts.source(base.number), to: sequence }
  }

  view(): View {
    return this.#parts.current.view()
  }

  /**
   * Handed to the node that sequences, and answered when its record is applied here: whoever sent it finds it.
   *
   * @throws ReplicaError
   */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    const { chain, follower, senders, clock } = this.#parts
    return forwardTransaction(
      raw,
      { isLayer2: this.config.layer2 !== undefined },
      // Another machine finds out the sender by itself.
      { senders, clock, submit: (bytes) => follower.submit(bytes), applied: (sequence) => chain.applied(sequence) },
      from,
    )
  }

  /** @throws ReplicaError: only the node that sequences takes blocks back */
  setHead(): Promise<SetHeadResult> {
    return Promise.reject(
      new ReplicaError('NOT_ON_REPLICA', 'this node follows another one: only that one takes blocks back'),
    )
  }

  async stop(): Promise<void> {
    await this.#parts.stop()
  }
}
