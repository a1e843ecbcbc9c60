import type { PoolTransaction } from '../../../chain/transaction/transaction.ts'
import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import type { StateTrie } from '../../../state/trie/state-trie.ts'
import type { LeftTransaction } from '../../core/current-view.ts'
import { Node, type NodeOptions, type NodeParts } from '../../core/node.ts'
import type { SetHeadResult, SubmitResult } from '../../core/node-handle.ts'
import type { Journal } from '../../log/journal.ts'
import type { RecordLog } from '../../log/record-log.ts'
import { ReplicatedLogError } from '../../log/replicated-log.ts'
import type { FollowedContent } from '../../replay/followed-content.ts'
import type { BuiltBlock } from '../../replay/head.ts'
import type { FoldState } from '../../replay/record-folding.ts'
import { type SealedEnd, Sequencing, type SequencingOptions, type SequencingParts } from '../leader/sequencing.ts'
import { ConfirmedJournal, type ConfirmedJournalOptions } from './confirmed-journal.ts'

export interface LeadershipOptions extends NodeOptions, ConfirmedJournalOptions {
  readonly sequencing: SequencingOptions
}

export interface LeadershipParts {
  readonly records: RecordLog
  readonly node: Omit<NodeParts, 'journal' | 'operation'>
  readonly operation: Pick<NodeParts['operation'], 'diskBytes' | 'records' | 'source'>
  readonly sequencing: Omit<SequencingParts, 'records' | 'waiting' | 'onFailure'>
  /** No more blocks can be made. */
  readonly onFailure: (error: unknown) => void
}

/** One time that this node makes the blocks, upon what it had applied as a standby. */
export class Leadership {
  readonly node: Node
  readonly sequencing: Sequencing
  readonly #records: RecordLog
  readonly #journal: ConfirmedJournal
  readonly #sealed: SealedEnd | undefined
  #isEnded = false

  /** @param applied as far as the shared log goes; nothing else may write records from now on */
  constructor(applied: FoldState, options: LeadershipOptions, parts: LeadershipParts) {
    const { records, onFailure } = parts
    const { current } = parts.sequencing
    this.#records = records
    const ownRecords: Journal = {
      append: (record) => {
        // Whatever was on its way when it ended must not come after what others wrote.
        if (this.#isEnded) throw new ReplicatedLogError('ABANDONED', 'this node does not make blocks any more')
        return records.append(record)
      },
      sync: () => records.sync(),
      get durableSequence() {
        return records.durableSequence
      },
    }
    const journal = new ConfirmedJournal(options, { journal: ownRecords, clock: parts.sequencing.clock })
    this.#journal = journal
    const waiting = () => this.node.waiting()
    this.#sealed = sealedEnd(applied, options.slots)
    if (this.#sealed !== undefined && !applied.isSealed) {
      const { block } = this.#sealed.content.pending
      journal.append({ kind: 'seal', number: block.header.number, hash: block.hash })
    }
    this.sequencing = new Sequencing(
      this.#sealed === undefined ? aboveOf(applied.content) : current.head,
      options.sequencing,
      { ...parts.sequencing, records: journal, waiting, onFailure },
    )
    const { sequencing } = this
    // While the last flashblock of a block waited to be shown the store may have moved on: no head has that snapshot yet.
    const { base, baseTrie } = applied.content
    if (this.#sealed !== undefined && base !== current.head.base) sequencing.rebase(base, baseTrie)
    this.node = new Node(options, {
      ...parts.node,
      journal,
      operation: {
        ...parts.operation,
        counts: () => sequencing.counts,
        setHead: (number) => sequencing.setHead(number),
        publishing: () => records.publishing,
        idle: () => sequencing.idle(),
        stop: () => sequencing.stop(),
      },
    })
  }

  /** Settles when a block is open. */
  begin(): Promise<void> {
    return this.sequencing.begin(this.#sealed)
  }

  /**
   * As a node does, but refused only by one that leads: what is wrong with a transaction here may be right where the chain is by
   * now.
   *
   * @throws ReplicatedLogError when another node leads
   */
  async submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    const result = await this.node.submit(raw, from)
    if (result.kind === 'refused') await this.#journal.confirm()
    return result
  }

  setHead(number: number): Promise<SetHeadResult> {
    return this.node.setHead(number)
  }

  /** What is acknowledged, or will be, and is in no flashblock yet; `undefined`: others write that down. */
  waiting(): readonly PoolTransaction[] | undefined {
    return this.#isEnded ? undefined : this.node.waiting()
  }

  journalDropped(transactions: readonly LeftTransaction[]): void {
    // By a flashblock that nobody will see, or while others knew better: they have these waiting.
    if (this.#isEnded) this.node.leftUnwritten(transactions)
    else this.node.journalDropped(transactions)
  }

  rebase(base: Snapshot, baseTrie: StateTrie): void {
    this.sequencing.rebase(base, baseTrie)
  }

  /**
   * Ends after publishing was abandoned: gives up the records that others were not told of.
   *
   * @returns what goes on waiting, as far as others know
   */
  async end(): Promise<readonly PoolTransaction[]> {
    this.#isEnded = true
    await this.sequencing.stop()
    const told = this.#records.publishedSequence
    await this.#records.discardAfter(told)
    return this.node.leftAfter(told).flatMap(({ transaction }) => transaction ?? [])
  }

  /** What is shown. Its tries read from the base, whatever snapshot they were built upon: that is given back at the end. */
  get content(): FollowedContent {
    const { pending, recent, ...content } = this.sequencing.content
    const { base, baseTrie } = content
    const rebased = (built: BuiltBlock) => ({ ...built, trie: built.trie.withSource(base.trieNodes, baseTrie) })
    return { ...content, recent: recent.map(rebased), pending: pending && rebased(pending) }
  }
}

/** Where the records end with a block's last flashblock, or with its seal: that block does not go on. */
function sealedEnd({ content, isSealed, unseen }: FoldState, slots: number): SealedEnd | undefined {
  const { pending } = content
  if (pending === undefined || (!isSealed && pending.layers.at(-1)!.index < slots)) return undefined
  return { content: { ...content, pending }, unseen }
}

function aboveOf({ pending, ...content }: FollowedContent) {
  return { ...content, ...(pending !== undefined && { pending }) }
}
