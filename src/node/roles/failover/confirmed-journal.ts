import type { ChainRecord } from '../../../state/records/record.ts'
import type { Clock } from '../../core/clock.ts'
import type { Journal } from '../../log/journal.ts'

export interface ConfirmedJournalOptions {
  /** Milliseconds after an acknowledged record in which no other node can have taken over. */
  readonly freshnessMs: number
}

export interface ConfirmedJournalDeps {
  readonly journal: Journal
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * The journal of a leader that may have lost its role without noticing: while its process was suspended another node
 * may have taken over. The leader learns this only when one of its own records is rejected.
 */
export class ConfirmedJournal implements Journal {
  readonly #options: ConfirmedJournalOptions
  readonly #deps: ConfirmedJournalDeps
  #newest: { readonly sequence: number; readonly appendedAt: number } | undefined
  /** This node still led at that time: records appended before then are acknowledged. */
  #confirmedAt = Number.NEGATIVE_INFINITY
  #confirming: Promise<void> | undefined

  constructor(options: ConfirmedJournalOptions, deps: ConfirmedJournalDeps) {
    this.#options = options
    this.#deps = deps
  }

  get lastSequence(): number {
    return this.#deps.journal.lastSequence
  }

  get durableSequence(): number {
    return this.#deps.journal.durableSequence
  }

  append(record: ChainRecord): number {
    const { journal, clock } = this.#deps
    const sequence = journal.append(record)
    this.#newest = { sequence, appendedAt: clock.monotonic() }
    return sequence
  }

  async sync(): Promise<void> {
    const newest = this.#newest
    await this.#deps.journal.sync()
    if (newest !== undefined && newest.sequence <= this.durableSequence) {
      this.#confirmedAt = Math.max(this.#confirmedAt, newest.appendedAt)
    }
  }

  /**
   * Resolves when this node is known to have led a moment ago: usually at once, otherwise when an empty record is
   * acknowledged, one for all concurrent callers.
   *
   * @throws ReplicatedLogError when another node leads
   */
  async confirm(): Promise<void> {
    const earliest = this.#deps.clock.monotonic() - this.#options.freshnessMs
    while (this.#confirmedAt < earliest) {
      this.#confirming ??= this.#publishNothing().finally(() => {
        this.#confirming = undefined
      })
      await this.#confirming
    }
  }

  #publishNothing(): Promise<void> {
    this.append({ kind: 'drop', transactions: [] })
    return this.sync()
  }
}
