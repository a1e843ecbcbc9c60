import type { ChainRecord } from '../../../state/record.ts'
import type { Clock } from '../../core/clock.ts'
import type { Journal } from '../../log/journal.ts'

export interface ConfirmedJournalOptions {
  /** Milliseconds in which no other node takes over from one whose records are taken. */
  readonly freshness: number
}

export interface ConfirmedJournalParts {
  readonly journal: Journal
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * The records of a leader, and since when it may not be one any more: while its process stood still another node may have
 * taken over, and nothing tells it so before a record of its own is refused.
 */
export class ConfirmedJournal implements Journal {
  readonly #options: ConfirmedJournalOptions
  readonly #parts: ConfirmedJournalParts
  #newest: { readonly sequence: number; readonly appendedAt: number } | undefined
  /** It was published after that, and so nothing of others was there. */
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
   * Settles when this node is known to have led a moment ago: at once, as a rule. Otherwise a record that says nothing is
   * published, for all who ask meanwhile.
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
