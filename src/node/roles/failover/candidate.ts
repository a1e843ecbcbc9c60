import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import type { PoolTransaction } from '../../../chain/transaction/transaction.ts'
import type { Engine } from '../../../engine/types.ts'
import type { PoolCounts } from '../../../pool/pool.ts'
import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { Clock } from '../../core/clock.ts'
import type { CurrentView } from '../../core/current-view.ts'
import type { NodeEventEmitter } from '../../core/events.ts'
import type { NodeOptions } from '../../core/node.ts'
import type {
  FollowedSource,
  NodeHandle,
  ServedNode,
  SetHeadResult,
  SubmitRefusal,
  SubmitResult,
} from '../../core/node-handle.ts'
import { senderState } from '../../core/sender-state.ts'
import type { TransactionView, View } from '../../core/view.ts'
import { receiveTransaction } from '../../intake/received-transaction.ts'
import type { SenderRecovery } from '../../intake/sender-recovery.ts'
import { type PublishingCondition, ReplicatedLogError } from '../../log/replicated-log.ts'
import type { Epoch } from '../../replay/recovery.ts'
import type { RecordStream } from '../../streaming/record-stream.ts'
import { ReplicaError } from '../follower/replica-error.ts'
import type { FollowingStatus } from '../follower/source-follower.ts'
import type { SequencerCounts } from '../leader/sequencer.ts'
import type { Role } from './next-role.ts'

type KnownRefusal = Extract<SubmitRefusal, { code: 'ALREADY_KNOWN' | 'NONCE_TOO_LOW' }>

/** Milliseconds between attempts to hand a transaction to whoever makes the blocks. */
const RETRY_DELAY = 50

export interface CandidateOptions extends NodeOptions {
  /** How the node calls itself in records and in the lease. */
  readonly name: string
  /** Milliseconds that a transaction may wait for a node that makes blocks. */
  readonly submitLimit: number
}

/** How a node stands among those that may make the blocks. */
export interface FailoverStatus {
  readonly role: Role
  readonly name: string
  /** The newest take-over in the records; `undefined`: older than those that are kept here. */
  readonly epoch: Epoch | undefined
  /** Who has the lease, as far as it was seen last. */
  readonly leaseHolder: string | undefined
  /** By this node, since its start. */
  readonly takeOvers: number
  readonly standDowns: number
}

export interface CandidateParts {
  readonly engine: Engine
  readonly current: CurrentView
  readonly records: RecordStream
  readonly clock: Clock
  readonly senders: SenderRecovery
  readonly status: () => Omit<FailoverStatus, 'name'>
  /** Whoever can be asked now; `undefined` while the role changes. */
  readonly asked: () => Pick<ServedNode, 'submit' | 'setHead'> | undefined
  readonly missedSlots: () => number
  readonly following: () => FollowingStatus & { readonly sequence: number; readonly duplicates: number }
  readonly publishing: () => PublishingCondition | undefined
  readonly source: (stored: number) => FollowedSource
  readonly diskBytes: () => Promise<number>
  /** Settles when the flashblock that is being made is announced, and sealed blocks are in the store. */
  readonly idle: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * A node that makes the blocks or follows the one that does, and changes from one to the other while it runs. Whoever reads or
 * listens notices nothing of it but a pause; whoever sends waits.
 */
export class Candidate implements NodeHandle {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter
  readonly blockTimeMs: number
  readonly slots: number
  readonly gasLimit: bigint
  readonly finalityDepth: number
  readonly #options: CandidateOptions
  readonly #parts: CandidateParts
  readonly #waiting = new Set<() => void>()
  #flashblocks = 0

  constructor(options: CandidateOptions, parts: CandidateParts) {
    this.#options = options
    this.#parts = parts
    this.config = options.config
    this.blockTimeMs = options.blockTimeMs
    this.slots = options.slots
    this.gasLimit = options.gasLimit
    this.finalityDepth = options.finalityDepth
    this.engine = parts.engine
    this.events = parts.current.events
    this.events.on('flashblock', () => {
      this.#flashblocks += 1
    })
  }

  get failover(): FailoverStatus {
    return { ...this.#parts.status(), name: this.#options.name }
  }

  /** Flashblocks that were shown since the start, whoever made them. */
  get counts(): SequencerCounts {
    return { flashblocks: this.#flashblocks, missedSlots: this.#parts.missedSlots() }
  }

  get poolCounts(): PoolCounts {
    return this.#parts.current.poolCounts
  }

  get hasFailed(): boolean {
    return this.#parts.current.hasFailed
  }

  get records(): RecordStream {
    return this.#parts.records
  }

  /** While it makes the blocks. */
  get publishing(): PublishingCondition | undefined {
    return this.#parts.publishing()
  }

  /** How far it is, while it does not make the blocks. */
  get following(): ReturnType<CandidateParts['following']> {
    return this.#parts.following()
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
   * Offered to whoever makes the blocks, again and again while that changes. Of one that was offered before, it may not be
   * known whether it was taken: where it is found then, it was.
   *
   * @throws ReplicaError when nobody could be asked in time
   */
  async submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    const { clock, asked } = this.#parts
    const deadline = clock.monotonic() + this.#options.submitLimit
    let reason = 'nobody answered in time'
    for (let attempts = 0; ; ) {
      const changed = this.#changed(deadline)
      try {
        const answer = asked()?.submit(raw, from)
        if (answer !== undefined) {
          attempts += 1
          const result = await Promise.race([answer, changed.promise])
          if (result !== undefined) return attempts > 1 ? await this.#resolved(result, raw, deadline) : result
          answer.catch(() => undefined)
        } else await changed.promise
      } catch (error) {
        if (!isPassing(error)) throw error
        reason = (error as Error).message
      } finally {
        changed.end()
      }
      if (clock.monotonic() >= deadline) {
        const message = `the transaction may not have been taken: ${reason}; look for it, or send it again`
        throw new ReplicaError('SEQUENCER_UNREACHABLE', message)
      }
      await this.#pause(RETRY_DELAY)
    }
  }

  async setHead(number: number): Promise<SetHeadResult> {
    const asked = this.#parts.asked()
    if (asked === undefined) throw new ReplicaError('NOT_ON_REPLICA', 'no node makes blocks now: try again')
    return asked.setHead(number)
  }

  stop(): Promise<void> {
    return this.#parts.stop()
  }

  /** Another node makes the blocks now, or this one does: what was handed to the one before is offered again. */
  roleChanged(): void {
    for (const wake of this.#waiting) wake()
  }

  /**
   * One that was taken at an earlier attempt is refused at a later one, as known or as included already.
   *
   * @throws ReplicaError where it is not known which transaction was included
   */
  async #resolved(result: SubmitResult, raw: Bytes, deadline: number): Promise<SubmitResult> {
    if (result.kind === 'accepted' || result.hash === undefined || !isKnown(result.refusal)) return result
    const { clock } = this.#parts
    const { refusal } = result
    const sender = refusal.code === 'NONCE_TOO_LOW' ? await this.#senderOf(raw) : undefined
    do {
      const found = this.view().transaction(result.hash)
      if (found !== undefined) {
        const { sequence } = this.view().head
        return { kind: 'accepted', transaction: transactionOf(found), sequence }
      }
      // Another one with its nonce was included.
      if (refusal.code === 'NONCE_TOO_LOW' && this.#nextNonce(sender) >= refusal.expected) return result
      // Whoever took it told so, and it comes with the records.
      await this.#pause(RETRY_DELAY)
    } while (clock.monotonic() < deadline)
    if (refusal.code === 'ALREADY_KNOWN') return result
    const message = 'whether the transaction was included is not known here yet: look for it'
    throw new ReplicaError('REPLICA_BEHIND', message)
  }

  async #senderOf(raw: Bytes): Promise<Address | undefined> {
    const received = await receiveTransaction(raw, { isLayer2: this.config.layer2 !== undefined }, this.#parts.senders)
    return received.kind === 'transaction' ? received.transaction.from : undefined
  }

  #nextNonce(sender: Address | undefined): bigint {
    return sender === undefined ? 0n : senderState(this.view().head.pending.state, sender).nonce
  }

  /** Resolves when it may be worth asking again; without a value. */
  #changed(deadline: number): { readonly promise: Promise<undefined>; readonly end: () => void } {
    const { clock } = this.#parts
    let end = () => {}
    const promise = new Promise<undefined>((resolve) => {
      const wake = () => resolve(undefined)
      const cancel = clock.at(deadline, wake)
      this.#waiting.add(wake)
      end = () => {
        cancel()
        this.#waiting.delete(wake)
      }
    })
    return { promise, end }
  }

  #pause(milliseconds: number): Promise<void> {
    const { clock } = this.#parts
    return new Promise((resolve) => {
      clock.at(clock.monotonic() + milliseconds, resolve)
    })
  }
}

/** Nobody could be asked, or whoever was asked gave up making blocks. */
function isPassing(error: unknown): boolean {
  if (error instanceof ReplicatedLogError)
    return error.code === 'FENCED' || error.code === 'LOST' || error.code === 'ABANDONED'
  return error instanceof ReplicaError && error.code === 'SEQUENCER_UNREACHABLE'
}

function isKnown(refusal: SubmitRefusal): refusal is KnownRefusal {
  return refusal.code === 'ALREADY_KNOWN' || refusal.code === 'NONCE_TOO_LOW'
}

/** What was sent is no deposit. */
function transactionOf(found: TransactionView): PoolTransaction {
  if (found.kind === 'pooled') return found.transaction
  return found.block.block.transactions[found.index] as PoolTransaction
}
