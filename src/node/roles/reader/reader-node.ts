import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import type { Engine } from '../../../engine/types.ts'
import type { PoolCounts } from '../../../pool/pool.ts'
import type { Bytes } from '../../../primitives/hex.ts'
import type { LogRecord } from '../../../storage/segment-frame.ts'
import type { Clock } from '../../core/clock.ts'
import type { CurrentView } from '../../core/current-view.ts'
import type { NodeEventEmitter } from '../../core/events.ts'
import { ANSWER_LIMIT, inTime } from '../../core/in-time.ts'
import type { FollowedSource, NodeHandle, SetHeadResult, SubmitResult } from '../../core/node-handle.ts'
import type { View } from '../../core/view.ts'
import type { SenderRecovery } from '../../intake/sender-recovery.ts'
import { appliedInTime, forwardTransaction } from '../follower/forwarded-send.ts'
import { ReplicaError } from '../follower/replica-error.ts'
import type { SequencerCounts } from '../leader/sequencer.ts'
import type { ReaderChain } from './reader-chain.ts'
import type { ReaderBeginning, ReaderLink } from './reader-link.ts'

/** Milliseconds that an answer waits for the other readers to show what it tells: those that hang are waited for two seconds. */
const SHOWN_LIMIT = 5_000

export interface ReaderNodeOptions {
  readonly config: ChainConfig
  readonly beginning: ReaderBeginning
}

export interface ReaderNodeParts {
  readonly engine: Engine
  readonly current: CurrentView
  readonly chain: ReaderChain
  readonly link: ReaderLink
  readonly senders: SenderRecovery
  readonly clock: Clock
  readonly stop: () => Promise<void>
}

/**
 * A node in a process of its own beside the one that writes: it answers everything from its own head, upon the other's
 * store, and hands on what changes something.
 */
export class ReaderNode implements NodeHandle {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter
  readonly blockTimeMs: number
  readonly slots: number
  readonly gasLimit: bigint
  readonly finalityDepth: number
  /** Whoever follows needs a log: that of the other process. */
  readonly records = undefined
  readonly #directory: string
  readonly #parts: ReaderNodeParts
  #flashblocks = 0

  constructor({ config, beginning }: ReaderNodeOptions, parts: ReaderNodeParts) {
    const { blockTime, slots, gasLimit, finalityDepth } = beginning.settings
    this.config = config
    this.engine = parts.engine
    this.events = parts.current.events
    this.blockTimeMs = blockTime
    this.slots = slots
    this.gasLimit = gasLimit
    this.finalityDepth = finalityDepth
    this.#directory = beginning.directory
    this.#parts = parts
    this.events.on('flashblock', () => {
      this.#flashblocks += 1
    })
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

  /** Settles when there is a head to answer from. */
  shown(): Promise<void> {
    return this.#parts.chain.shown()
  }

  /** The newest record that is applied. */
  get sequence(): number {
    return this.#parts.chain.sequence
  }

  /** The other process says it. */
  diskBytes(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  followed(): FollowedSource & { readonly to: number } {
    const { base, sequence } = this.#parts.current.head
    return { directory: this.#directory, from: this.#parts.chain.firstAbove(base.number), to: sequence }
  }

  view(): View {
    return this.#parts.current.view()
  }

  /**
   * Records of the node that is followed, each once and in order.
   *
   * @throws what says that the reader has to begin anew
   */
  apply(records: readonly LogRecord[]): void {
    this.#parts.chain.apply(records)
  }

  /** Stands on what the followed node has stored by now. */
  rebase(): void {
    this.#parts.chain.rebase()
  }

  /** Settles when a record is applied and shown. */
  applied(sequence: number): Promise<void> {
    return this.#parts.chain.applied(sequence)
  }

  /** @throws ReplicaError */
  submit(raw: Bytes): Promise<SubmitResult> {
    const { chain, link, senders, clock } = this.#parts
    return forwardTransaction(
      raw,
      { isLayer2: this.config.layer2 !== undefined },
      {
        senders,
        clock,
        submit: (bytes, from) => link.submit(bytes, from),
        applied: (sequence) => chain.applied(sequence),
      },
    )
  }

  /** Settles, too, where the process that could tell does not: what is known here is no less true. */
  shownEverywhere(sequence: number): Promise<void> {
    const { link, clock } = this.#parts
    return inTime(link.reached(sequence), SHOWN_LIMIT, clock, () => undefined)
  }

  /** @throws ReplicaError */
  async setHead(number: number): Promise<SetHeadResult> {
    const { chain, link, clock } = this.#parts
    const { result, sequence } = await inTime(link.setHead(number), ANSWER_LIMIT, clock, () => {
      const message = `whether blocks were taken back is not known: the process that writes did not answer in ${ANSWER_LIMIT / 1000} s; look at the newest block`
      throw new ReplicaError('SEQUENCER_UNREACHABLE', message)
    })
    const applied = (awaited: number) => chain.applied(awaited)
    if (result.kind === 'unwound') await appliedInTime('blocks were taken back', sequence, { clock, applied })
    return result
  }

  async stop(): Promise<void> {
    await this.#parts.stop()
  }
}
