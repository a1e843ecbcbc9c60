import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import type { RecordedPool } from '../intake/unacknowledged-pool.ts'
import type { Journal } from '../log/journal.ts'
import type { RecordLog } from '../log/record-log.ts'
import { ReplicatedLogError } from '../log/replicated-log.ts'
import type { ChainState } from '../machine/chain-state.ts'
import type { FollowedContent } from '../machine/followed-content.ts'
import type { BuiltBlock, Head } from '../machine/head.ts'
import type { RemovedTransaction } from '../view/current-view.ts'
import type { FlashblockCounts } from '../view/events.ts'
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
export class Leadership {
  readonly #records: RecordLog
  readonly #journal: ConfirmedJournal
  readonly #leader: Leader
  #isEnded = false

  /** @param applied the chain up to the end of the replicated log; only this object may append records from now on */
  constructor(applied: ChainState, options: LeadershipOptions, deps: LeadershipDeps) {
    const { core, onFailure } = deps
    const { records, current } = core
    this.#records = records
    this.#journal = new ConfirmedJournal(options, { journal: this.#ownRecords(), clock: core.clock })
    const state = { ...applied, roots: undefined }
    const { content, unseen } = applied
    const shown = unseen.flashblocks.length === 0 ? content : contentOf(current.head)
    this.#leader = new Leader({ state, shown }, options, { core, journal: this.#journal, onFailure })
    // The store may have advanced while the last flashblock of a block was waiting for its seal: no head has that
    // snapshot yet. The first leader of a chain has no head at all.
    if (current.isShown && content.base !== current.head.base) this.#leader.rebase(content.base, content.baseTrie)
  }

  get counts(): FlashblockCounts {
    return this.#leader.counts
  }

  /** Resolves when a block is open. */
  begin(): Promise<void> {
    return this.#leader.begin()
  }

  /**
   * Submits a transaction. A rejection is confirmed first: a node that no longer leads might reject a transaction that
   * is valid on the current chain.
   *
   * @throws ReplicatedLogError when another node leads
   */
  async submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    const result = await this.#leader.submit(raw, from)
    if (result.kind === 'refused') await this.#journal.confirm()
    return result
  }

  setHead(number: number): Promise<SetHeadResult> {
    return this.#leader.setHead(number)
  }

  poolAsOf(sequence: number): RecordedPool {
    return this.#leader.poolAsOf(sequence)
  }

  /**
   * Transactions that are acknowledged, or will be, and are in no flashblock yet; `undefined`: another node records
   * them.
   */
  waiting(): readonly PoolTransaction[] | undefined {
    return this.#isEnded ? undefined : this.#leader.waiting()
  }

  journalDropped(transactions: readonly RemovedTransaction[]): void {
    // The flashblocks that dropped them were never published: the transactions are still in the pools of other nodes.
    if (this.#isEnded) this.#leader.keepUnrecordedDrops(transactions)
    else this.#leader.journalDropped(transactions)
  }

  rebase(base: Snapshot, baseTrie: StateTrie): void {
    this.#leader.rebase(base, baseTrie)
  }

  /** Resolves when the flashblock in progress is announced. */
  idle(): Promise<void> {
    return this.#leader.idle()
  }

  /** Stops taking slots. */
  halt(): void {
    this.#leader.halt()
  }

  /** Stops taking slots, and waits for the flashblock in progress. */
  stop(): Promise<void> {
    return this.#leader.stop()
  }

  /**
   * Ends the term after publishing was abandoned: discards the unpublished records.
   *
   * @returns transactions that are still in the pools of other nodes
   */
  async end(): Promise<readonly PoolTransaction[]> {
    this.#isEnded = true
    await this.#leader.stop()
    const published = this.#records.publishedSequence
    await this.#records.discardAfter(published)
    return this.#leader.droppedAfter(published).flatMap(({ transaction }) => transaction ?? [])
  }

  /** The announced chain. Its tries read from the base, even if they were built on an older snapshot. */
  get content(): FollowedContent {
    const { pending, recent, ...content } = this.#leader.content
    const { base, baseTrie } = content
    const rebased = (built: BuiltBlock) => ({ ...built, trie: built.trie.withSource(base.trieNodes, baseTrie) })
    return { ...content, recent: recent.map(rebased), pending: pending && rebased(pending) }
  }

  /** Rejects records after the end of the term: they must not follow those of another leader. */
  #ownRecords(): Journal {
    const records = this.#records
    return {
      append: (record) => {
        if (this.#isEnded) throw new ReplicatedLogError('ABANDONED', 'this node no longer builds blocks')
        return records.append(record)
      },
      sync: () => records.sync(),
      get durableSequence() {
        return records.durableSequence
      },
    }
  }
}

function contentOf({ sequence, base, baseTrie, recent, pending, partials }: Head): FollowedContent {
  return { sequence, base, baseTrie, recent, pending, partials }
}
