import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { ChainRecord } from '../../state/records/record.ts'
import type { SubmitResult } from '../core/results.ts'
import type { RecordLog } from '../log/record-log.ts'
import { ReplicatedLogError } from '../log/replicated-log.ts'
import type { ChainState } from '../machine/chain-state.ts'
import type { FollowedContent } from '../machine/followed-content.ts'
import type { BuiltBlock, Head } from '../machine/head.ts'
import type { RemovedTransaction } from '../view/pool-reconciler.ts'
import { ConfirmedJournal, type ConfirmedJournalOptions } from './failover/confirmed-journal.ts'
import { Leader, type LeaderDeps } from './leader.ts'
import type { LeaderSettings } from './node-settings.ts'

export interface LeadershipOptions extends LeaderSettings, ConfirmedJournalOptions {}

export interface LeadershipDeps {
  readonly core: LeaderDeps['core'] & { readonly records: RecordLog }
  /** Block building failed permanently. */
  readonly onFailure: (error: unknown) => void
}

/** One term of this node as leader, starting from the chain that it applied as a standby. */
export class Leadership extends Leader {
  readonly #term: Term

  /** @param applied the chain up to the end of the replicated log; only this object may append records from now on */
  constructor(applied: ChainState, options: LeadershipOptions, { core, onFailure }: LeadershipDeps) {
    const term = new Term(core.records, options, core)
    const { content, withheld } = applied
    const { current } = core
    const shown = withheld.flashblocks.length === 0 ? content : contentOf(current.head)
    super({ state: { ...applied, roots: undefined }, shown }, options, { core, journal: term.journal, onFailure })
    this.#term = term
    // The store may have advanced while the last flashblock of a block was waiting for its seal: no head has that
    // snapshot yet. On a new chain there is no head at all.
    if (current.isShown && content.base !== current.head.base) this.sequencing.rebase(content.base, content.baseTrie)
  }

  /**
   * Submits a transaction. A rejection is confirmed first: a node that no longer leads might reject a transaction that
   * is valid on the current chain.
   *
   * @throws ReplicatedLogError when another node leads
   */
  override async submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    const result = await super.submit(raw, from)
    if (result.kind === 'refused') await this.#term.journal.confirm()
    return result
  }

  /** Transactions for the next pool checkpoint; `undefined`: another node writes the records. */
  recordedPool(): readonly PoolTransaction[] | undefined {
    return this.#term.isEnded ? undefined : this.waiting()
  }

  override journalDropped(transactions: readonly RemovedTransaction[]): void {
    // The flashblocks that dropped them were never published: the transactions are still in the pools of other nodes.
    if (this.#term.isEnded) this.keepUnrecordedDrops(transactions)
    else super.journalDropped(transactions)
  }

  /**
   * Stops building blocks and appending records. Resolves when all that were appended are announced.
   *
   * @returns the newest record
   * @throws ReplicatedLogError, StorageError as for a flashblock
   */
  async drain(): Promise<number> {
    await this.stop()
    return this.#term.drain()
  }

  /**
   * Ends the term after publishing was abandoned: discards the unpublished records.
   *
   * @returns transactions that are still in the pools of other nodes
   */
  async end(): Promise<readonly PoolTransaction[]> {
    this.#term.isEnded = true
    await this.stop()
    const published = await this.#term.discardUnpublished()
    return this.droppedAfter(published).flatMap(({ transaction }) => transaction ?? [])
  }

  /** The announced chain. Its tries read from the base, even if they were built on an older snapshot. */
  get content(): FollowedContent {
    const { pending, recent, ...content } = this.sequencing.content
    const { base, baseTrie } = content
    const rebased = (built: BuiltBlock) => ({ ...built, trie: built.trie.withSource(base.trieNodes, baseTrie) })
    return { ...content, recent: recent.map(rebased), pending: pending && rebased(pending) }
  }
}

/** The records of a term: none may follow those of another leader. */
class Term {
  readonly journal: ConfirmedJournal
  readonly #records: RecordLog
  isEnded = false

  constructor(records: RecordLog, options: ConfirmedJournalOptions, { clock }: Pick<LeadershipDeps['core'], 'clock'>) {
    this.#records = records
    const journal = {
      append: (record: ChainRecord) => {
        if (this.isEnded) throw new ReplicatedLogError('ABANDONED', 'this node no longer builds blocks')
        return records.append(record)
      },
      sync: () => records.sync(),
      get lastSequence() {
        return records.lastSequence
      },
      get durableSequence() {
        return records.durableSequence
      },
    }
    this.journal = new ConfirmedJournal(options, { journal, clock })
  }

  /** Ends appending. @returns the newest record, which is durable */
  async drain(): Promise<number> {
    this.isEnded = true
    await this.#records.sync()
    return this.#records.lastSequence
  }

  /** @returns the newest record that remains */
  async discardUnpublished(): Promise<number> {
    const published = this.#records.publishedSequence
    await this.#records.discardAfter(published)
    return published
  }
}

function contentOf({ sequence, base, baseTrie, recent, pending, partials }: Head): FollowedContent {
  return { sequence, base, baseTrie, recent, pending, partials }
}
