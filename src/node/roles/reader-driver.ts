import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { Clock } from '../core/clock.ts'
import { inTime, RESPONSE_TIMEOUT_MS } from '../core/deadline.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import { appliedInTime, forwardRequest, forwardTransaction } from '../following/forwarded-send.ts'
import type { ReaderChain } from '../following/reader-chain.ts'
import type { ReaderLink } from '../following/reader-link.ts'
import { ReplicaError } from '../following/replica-error.ts'
import type { SenderRecovery } from '../intake/sender-recovery.ts'
import type { LeaderReply, LeaderRequest, StreamSettings } from '../log/record-source.ts'
import type { CurrentView } from '../view/current-view.ts'
import type { FlashblockCounts } from '../view/events.ts'
import { countFlashblocks } from '../view/events.ts'
import type { RoleDriver } from './role-driver.ts'

/**
 * Milliseconds that a response waits until the other readers have applied its record; a hanging reader is excluded
 * after two seconds.
 */
const SHOWN_LIMIT_MS = 5_000

export interface ReaderDriverOptions {
  readonly config: ChainConfig
  readonly settings: StreamSettings
}

export interface ReaderDriverDeps {
  readonly current: CurrentView
  readonly chain: ReaderChain
  readonly link: ReaderLink
  readonly senders: SenderRecovery
  readonly clock: Clock
  readonly close: () => Promise<void>
}

/** Follows the writer process and forwards changes to it. */
export class ReaderDriver implements RoleDriver {
  readonly settings: () => StreamSettings
  readonly #isLayer2: boolean
  readonly #deps: ReaderDriverDeps
  readonly #flashblocks: () => number

  constructor({ config, settings }: ReaderDriverOptions, deps: ReaderDriverDeps) {
    this.settings = () => settings
    this.#isLayer2 = config.layer2 !== undefined
    this.#deps = deps
    this.#flashblocks = countFlashblocks(deps.current.events)
  }

  get counts(): FlashblockCounts {
    return { flashblocks: this.#flashblocks(), missedSlots: 0 }
  }

  /** @throws ReplicaError */
  submit(raw: Bytes): Promise<SubmitResult> {
    const { chain, link, senders, clock } = this.#deps
    return forwardTransaction(
      raw,
      { isLayer2: this.#isLayer2 },
      {
        senders,
        clock,
        submit: (bytes, from) => link.submit(bytes, from),
        applied: (sequence) => chain.applied(sequence),
      },
    )
  }

  /** @throws ReplicaError */
  forward(request: LeaderRequest): Promise<LeaderReply> {
    const { chain, link, clock } = this.#deps
    return forwardRequest(request, {
      clock,
      request: (sent) => link.request(sent),
      applied: (sequence) => chain.applied(sequence),
    })
  }

  /** Resolves also on timeout: the result is shown here in any case. */
  shownEverywhere(sequence: number): Promise<void> {
    const { link, clock } = this.#deps
    return inTime(link.reached(sequence), SHOWN_LIMIT_MS, clock, () => undefined)
  }

  /** @throws ReplicaError */
  async setHead(number: number): Promise<SetHeadResult> {
    const { chain, link, clock } = this.#deps
    const { result, sequence } = await inTime(link.setHead(number), RESPONSE_TIMEOUT_MS, clock, () => {
      const message =
        `it is not known whether blocks were unwound: the writer process did not respond ` +
        `in ${RESPONSE_TIMEOUT_MS / 1000} s; look at the newest block`
      throw new ReplicaError('SEQUENCER_UNREACHABLE', message)
    })
    const applied = (awaited: number) => chain.applied(awaited)
    if (result.kind === 'unwound') await appliedInTime('blocks were unwound', sequence, { clock, applied })
    return result
  }

  /** `ReaderChain.rebase` moves the base of the head; a reader stores nothing. */
  rebase(): void {}

  idle(): Promise<void> {
    return Promise.resolve()
  }

  stop(): Promise<void> {
    return this.#deps.close()
  }
}
