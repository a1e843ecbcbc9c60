import type { ChainRecord } from '../../../state/record.ts'
import type { Clock } from '../../core/clock.ts'
import type { Journal } from '../../log/journal.ts'

export interface ConfirmedJournalOptions {
  /** Milliseconds after an acknowledged record in which no other node can have taken over. */
  readonly freshness: number
}

export interface ConfirmedJournalParts {
  readonly journal: Journal
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * The journal of a leader that may have lost its role without noticing: while its process was frozen another node may
 * have taken over, which it learns only when a record of its own is refused.
 */
export class ConfirmedJournal implements Journal {
  readonly #options: ConfirmedJournalOptions
  readonly #parts: ConfirmedJournalParts
  #newest: { readonly sequence: number; readonly appendedAt: number } | undefined
  /** This node still led at that time: a record that was appended then was acknowledged. */
  #confirmedAt = Number.NEGATIVE_INFINITY
  #confirming: Promise<void> | undefined

  constructor(options: ConfirmedJournalOptions, parts: ConfirmedJournalParts) {
    this.#options = options
    this.#parts = parts
  }

  get durableSequence(): number {
    return this.#parts.journal.durableSequence
  }

  append(record: ChainRecord): number {
    const { journal, clock } = this.#parts
    const sequence = journal.append(record)
    this.#newest = { sequence, appendedAt: clock.monotonic() }
    return sequence
  }

  async sync(): Promise<void> {
    const newest = this.#newest
    await this.#parts.journal.sync()
    if (newest !== undefined && newest.sequence <= this.durableSequence) {
      this.#confirmedAt = Math.max(this.#confirmedAt, newest.appendedAt)
    }
  }

  /**
   * Resolves when this node is known to have led a moment ago: usually at once, otherwise after an empty record is
   * acknowledged, one for all concurrent callers.
   *
   * @throws ReplicatedLogError when another node leads
   */
  async confirm(): Promise<void> {
    const earliest = this.#parts.clock.monotonic() - this.#options.freshness
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
