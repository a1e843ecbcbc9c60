import { hasBlobs } from '../../chain/forks/chain-config.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Clock } from '../core/clock.ts'
import { inTime, RESPONSE_TIMEOUT_MS } from '../core/deadline.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import { appliedInTime, type ForwardingDeps, forwardRequest, forwardTransaction } from '../following/forwarded-send.ts'
import type { ReaderChain } from '../following/reader-chain.ts'
import type { ReaderLink } from '../following/reader-link.ts'
import { ReplicaError } from '../following/replica-error.ts'
import type { SenderRecovery } from '../intake/sender-recovery.ts'
import type { LeaderReply, LeaderRequest, StreamSettings } from '../log/record-source.ts'
import { countFlashblocks, type FlashblockCounts } from '../view/events.ts'
import type { LogPosition, ReaderHandle } from './node-handle.ts'
import { RunningNode, type RunningNodeParts } from './running-node.ts'

/**
 * Milliseconds that a response waits until the other readers have applied its record; a hanging reader is excluded
 * after two seconds.
 */
const SHOWN_LIMIT_MS = 5_000

export interface ReaderNodeParts extends RunningNodeParts {
  readonly settings: StreamSettings
  readonly directory: string
  readonly chain: ReaderChain
  readonly link: ReaderLink
  readonly senders: SenderRecovery
  readonly clock: Clock
  readonly isOnDemand: () => boolean
  readonly close: () => Promise<void>
}

/** Follows the writer process of the same machine and forwards changes to it. */
export class ReaderNode extends RunningNode implements ReaderHandle {
  readonly role = 'reader'
  readonly #parts: ReaderNodeParts
  readonly #flashblocks: () => number

  constructor(parts: ReaderNodeParts) {
    super(parts)
    this.#parts = parts
    this.#flashblocks = countFlashblocks(parts.current.events)
  }

  get counts(): FlashblockCounts {
    return { flashblocks: this.#flashblocks(), missedSlots: 0 }
  }

  get isOnDemand(): boolean {
    return this.#parts.isOnDemand()
  }

  /** @throws ReplicaError */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    const { link, senders } = this.#parts
    const deps = { ...this.#forwarding, senders, submit: (bytes: Bytes, sender: Address) => link.submit(bytes, sender) }
    return forwardTransaction(raw, { hasBlobs: hasBlobs(this.config) }, deps, from)
  }

  /** @throws ReplicaError */
  forward(request: LeaderRequest): Promise<LeaderReply> {
    const { link } = this.#parts
    return forwardRequest(request, { ...this.#forwarding, request: (sent) => link.request(sent) })
  }

  /** Resolves also on timeout: the client has its result, and a hanging reader is replaced. */
  shownEverywhere(sequence: number): Promise<void> {
    const { link, clock } = this.#parts
    return inTime(link.reached(sequence), SHOWN_LIMIT_MS, clock, () => undefined)
  }

  /** @throws ReplicaError */
  protected async unwindTo(number: number): Promise<SetHeadResult> {
    const { link, clock } = this.#parts
    const { result, sequence } = await inTime(link.setHead(number), RESPONSE_TIMEOUT_MS, clock, () => {
      const message =
        `it is not known whether blocks were unwound: the writer process did not respond ` +
        `in ${RESPONSE_TIMEOUT_MS / 1000} s; look at the newest block`
      throw new ReplicaError('SEQUENCER_UNREACHABLE', message)
    })
    if (result.kind === 'unwound') await appliedInTime('blocks were unwound', sequence, this.#forwarding)
    return result
  }

  get #forwarding(): Pick<ForwardingDeps, 'clock' | 'applied'> {
    const { chain, clock } = this.#parts
    return { clock, applied: (sequence) => chain.applied(sequence) }
  }

  protected settings(): StreamSettings {
    return this.#parts.settings
  }

  protected firstAbove(stored: number): Omit<LogPosition, 'to'> {
    const { directory, chain } = this.#parts
    return { directory, from: chain.firstAbove(stored) }
  }

  idle(): Promise<void> {
    return Promise.resolve()
  }

  stop(): Promise<void> {
    return this.#parts.close()
  }
}
