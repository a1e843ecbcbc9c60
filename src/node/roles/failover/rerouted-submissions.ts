import type { SubmitRefusal } from '../../../chain/transaction/refusal.ts'
import type { PoolTransaction } from '../../../chain/transaction/transaction.ts'
import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { Clock } from '../../core/clock.ts'
import type { SubmitResult } from '../../core/results.ts'
import { ReplicaError } from '../../following/replica-error.ts'
import { receiveTransaction } from '../../intake/received-transaction.ts'
import type { SenderRecovery } from '../../intake/sender-recovery.ts'
import type { RecordLog } from '../../log/record-log.ts'
import { ReplicatedLogError } from '../../log/replicated-log.ts'
import type { TransactionView, View } from '../../view/view.ts'
import { senderState } from '../../view/view.ts'

type ProcessedRefusal = Extract<SubmitRefusal, { code: 'ALREADY_KNOWN' | 'NONCE_TOO_LOW' }>

/** Milliseconds between attempts to submit a transaction to the leader. */
const RETRY_DELAY_MS = 50

export interface ReroutedSubmissionsOptions {
  readonly hasBlobs: boolean
  /** Milliseconds that a transaction may wait for a leader. */
  readonly timeoutMs: number
}

interface SubmissionTarget {
  submit(raw: Bytes, from?: Address): Promise<SubmitResult>
}

export interface ReroutedSubmissionsDeps {
  readonly clock: Clock
  readonly senders: SenderRecovery
  readonly view: () => View
  /** The records here: those of transactions in the view's pool may be newer than its head. */
  readonly records: Pick<RecordLog, 'lastSequence'>
  /** The current submission target; `undefined` while the role of this node changes. */
  readonly target: () => SubmissionTarget | undefined
}

/** Submits transactions to the leader, and again to the next one when leaders change. */
export class ReroutedSubmissions {
  readonly #options: ReroutedSubmissionsOptions
  readonly #deps: ReroutedSubmissionsDeps
  readonly #waiting = new Set<() => void>()

  constructor(options: ReroutedSubmissionsOptions, deps: ReroutedSubmissionsDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Call when the leader may have changed: transactions without a response are submitted again. */
  roleChanged(): void {
    for (const wake of this.#waiting) wake()
  }

  /**
   * Submits a transaction, repeatedly while leaders change. An earlier attempt may have succeeded without a response:
   * then the transaction is found in the chain or in the pool.
   *
   * @throws ReplicaError when no leader responded in time
   */
  async submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    const { clock, target } = this.#deps
    const deadline = clock.monotonic() + this.#options.timeoutMs
    let reason = 'no leader responded in time'
    for (let attempts = 0; ; ) {
      const changed = this.#changed(deadline)
      try {
        const response = target()?.submit(raw, from)
        if (response !== undefined) {
          attempts += 1
          const result = await Promise.race([response, changed.promise])
          if (result !== undefined) return attempts > 1 ? await this.#resolved(result, raw, deadline) : result
          response.catch(() => undefined)
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
      await this.#pause(RETRY_DELAY_MS)
    }
  }

  /**
   * The result of a later attempt: an earlier one may have succeeded, so a rejection as known or included counts as
   * success.
   *
   * @throws ReplicaError when it is unknown which transaction was included
   */
  async #resolved(result: SubmitResult, raw: Bytes, deadline: number): Promise<SubmitResult> {
    if (result.kind === 'accepted' || result.hash === undefined || !isProcessed(result.refusal)) return result
    const { clock, view, records } = this.#deps
    const { refusal } = result
    const sender = refusal.code === 'NONCE_TOO_LOW' ? await this.#senderOf(raw) : undefined
    do {
      const found = view().transaction(result.hash)
      if (found !== undefined) {
        return { kind: 'accepted', transaction: transactionOf(found), sequence: records.lastSequence }
      }
      // Another transaction with the same nonce was included.
      if (refusal.code === 'NONCE_TOO_LOW' && this.#nextNonce(sender) >= refusal.expected) return result
      // The leader that accepted it has recorded it; the record has not arrived yet.
      await this.#pause(RETRY_DELAY_MS)
    } while (clock.monotonic() < deadline)
    if (refusal.code === 'ALREADY_KNOWN') return result
    const message = 'it is not known yet whether the transaction was included: look for it'
    throw new ReplicaError('REPLICA_BEHIND', message)
  }

  async #senderOf(raw: Bytes): Promise<Address | undefined> {
    const { hasBlobs } = this.#options
    const received = await receiveTransaction(raw, { hasBlobs }, this.#deps.senders)
    return received.kind === 'transaction' ? received.transaction.from : undefined
  }

  #nextNonce(sender: Address | undefined): bigint {
    return sender === undefined ? 0n : senderState(this.#deps.view().head.pending.state, sender).nonce
  }

  /** Resolves when another attempt may succeed. */
  #changed(deadline: number): { readonly promise: Promise<undefined>; readonly end: () => void } {
    const { clock } = this.#deps
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
    const { clock } = this.#deps
    return new Promise((resolve) => {
      clock.at(clock.monotonic() + milliseconds, resolve)
    })
  }
}

/** Whether another attempt may succeed: the leader was unreachable or stood down. */
function isPassing(error: unknown): boolean {
  if (error instanceof ReplicatedLogError)
    return error.code === 'FENCED' || error.code === 'LOST' || error.code === 'ABANDONED'
  return error instanceof ReplicaError && error.code === 'SEQUENCER_UNREACHABLE'
}

function isProcessed(refusal: SubmitRefusal): refusal is ProcessedRefusal {
  return refusal.code === 'ALREADY_KNOWN' || refusal.code === 'NONCE_TOO_LOW'
}

/** A submitted transaction is never a deposit. */
function transactionOf(found: TransactionView): PoolTransaction {
  if (found.kind === 'pooled') return found.transaction
  return found.block.block.transactions[found.index] as PoolTransaction
}
