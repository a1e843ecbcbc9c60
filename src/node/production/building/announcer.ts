import type { BuiltFlashblock } from '../../../engine/block/build-block.ts'
import { diffParts } from '../../../state/diff-parts.ts'
import type { ChainRecord, SealRecord, UnwindRecord } from '../../../state/records/record.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import type { StateDiff } from '../../../state/state-diff.ts'
import type { StateTrie } from '../../../state/trie/state-trie.ts'
import type { Journal } from '../../log/journal.ts'
import type { Announcement } from '../../machine/announcement.ts'
import { applyRecord, type Effect, type Hints, inOneHead, type ShowEffect } from '../../machine/apply-record.ts'
import { type ChainState, isComplete, rebased, sealedPart } from '../../machine/chain-state.ts'
import { checkHints } from '../../machine/check-hints.ts'
import type { Finality } from '../../machine/finality.ts'
import type { FollowedContent } from '../../machine/followed-content.ts'
import type { Head } from '../../machine/head.ts'
import { assembleHead, sealedIn, withBase } from '../../machine/head-transitions.ts'
import type { BlockWriter } from '../../store/block-writer.ts'
import { type Parent, parentOf } from './parent.ts'

/** Target size of the record of an alteration: followers hold each record in memory as a whole. */
const ALTERATION_BYTES = 4 * 2 ** 20

/** The chain from which a leader continues. */
export interface ChainStart {
  /** With all records. */
  readonly state: ChainState
  /**
   * The chain of the head that is shown, whose sealed blocks are enqueued for writing. Default: none is shown, and
   * blocks are enqueued from `storeRecent` on.
   */
  readonly shown?: FollowedContent | undefined
}

export interface AnnouncerOptions {
  /** Depth of the finalized block. */
  readonly finality: Finality
  /** See `NodeDeps`. Default: false. */
  readonly checksRecords?: boolean | undefined
}

export interface AnnouncerDeps {
  readonly journal: Journal
  readonly writer: Pick<BlockWriter, 'enqueue'>
  /** Called with every new head and the changes it contains, in event order. */
  readonly publish: (announcement: Announcement) => void
}

/**
 * Records what the block assembler builds and applies the records as followers do, with the results of building as
 * hints. Records are durable before a head shows them. At the end of a block the last flashblock, the seal and the
 * opening of the next block become visible in one swap.
 *
 * - `seal`, `replace`, `alter` and `appendMissingSeal` append a record that no head shows yet.
 * - `announce` appends a flashblock and then calls `show`, which waits until all records are durable and publishes a
 *   head with them.
 * - `unwind` appends a record and makes it durable; a head follows with the next flashblock.
 * - `resume` publishes the recovered head, and `rebase` the same head on a newer base, without a record.
 */
export class Announcer {
  readonly #options: AnnouncerOptions
  readonly #deps: AnnouncerDeps
  /** The chain with all records. */
  #state: ChainState
  /** The announced chain on the newest base. */
  #content: FollowedContent
  #head: Head | undefined
  /** Effects of records that no head shows yet. */
  #effects: readonly Effect[] = []
  #isStoring: boolean
  /** A base that no head has yet, and that nobody else would release. */
  #unshownBase: Snapshot | undefined

  constructor({ state, shown }: ChainStart, options: AnnouncerOptions, deps: AnnouncerDeps) {
    this.#state = state
    this.#content = shown ?? state.content
    this.#isStoring = shown !== undefined
    this.#options = options
    this.#deps = deps
  }

  /** The announced chain on the newest base. */
  get content(): FollowedContent {
    return this.#content
  }

  /** Whether the records end with an open block. */
  get isOpen(): boolean {
    return this.#state.content.pending !== undefined && !this.#state.isSealed
  }

  /** The newest recorded sealed block with its alterations, on which the next block is built. */
  parent(): Parent {
    const { content } = this.#state
    const { blocks, altered } = sealedPart(this.#state)
    const parent = parentOf(content, blocks, altered)
    // The opening of the block takes the trie from here.
    if (altered !== undefined && altered === content.altered) {
      this.#state = { ...this.#state, content: { ...content, altered: parent.prelude } }
    }
    return parent
  }

  /** Publishes the recovered head with its open block. */
  resume(): void {
    this.#publish({ content: this.#content, flashblocks: [], sealed: [] })
  }

  /** Enqueues the recovered sealed blocks above the store for writing, and from now on those that are sealed. */
  storeRecent(): void {
    this.#isStoring = true
    for (const block of this.#head!.recent) this.#deps.writer.enqueue(block)
  }

  /** Records a flashblock and announces it; one that opens a block, with the seal before it if there is one. */
  async announce(flashblock: BuiltFlashblock): Promise<void> {
    this.#flashblock(flashblock)
    await this.show()
  }

  /** Records a flashblock that replaces the open block, which has no transactions; visible with the next `show`. */
  replace(first: BuiltFlashblock): void {
    this.#flashblock(first)
  }

  /** Seals the open block with its last flashblock; visible with the next `announce`. */
  seal(flashblock: BuiltFlashblock): void {
    const { header, hash } = flashblock.block
    const seal = { kind: 'seal', number: header.number, hash } as const
    this.#flashblock(flashblock, seal)
    this.#record(seal)
  }

  /** Seals the open block if it has its last flashblock: the previous leader ended before it appended the seal. */
  appendMissingSeal(): void {
    if (!this.isOpen || !isComplete(this.#state)) return
    const { header, hash } = this.#state.content.pending!.block
    this.#record({ kind: 'seal', number: header.number, hash })
  }

  /**
   * Records state changes from outside that follow the newest sealed block. The open block, which has no transactions,
   * must be replaced. A large change becomes several records: after a crash, before the change is acknowledged,
   * recovery may apply only the first of them.
   */
  alter(diff: StateDiff): void {
    const { header, hash } = this.parent().block
    for (const part of diffParts(diff, ALTERATION_BYTES)) {
      this.#record({ kind: 'alter', number: header.number, hash, diff: part })
    }
  }

  /**
   * Records an unwind; resolves when it is durable. The caller then unwinds the store, and calls `rebase` if it had
   * blocks above the target. When the record is not acknowledged, the announced chain stays as it was.
   */
  async unwind(record: Omit<UnwindRecord, 'kind'>): Promise<void> {
    this.#record({ kind: 'unwind', ...record })
    await this.#deps.journal.sync()
    // Blocks that were not shown yet are unwound as well.
    this.#effects = []
    this.#content = this.#state.content
  }

  /** Announces what is recorded, once it is durable. No effect if nothing waits to be shown. */
  async show(): Promise<void> {
    if (this.#effects.length === 0) return
    await this.#deps.journal.sync()
    const effects = inOneHead(this.#effects)
    this.#effects = []
    for (const effect of effects) this.#execute(effect)
  }

  /** Moves to a newer base; readers of older heads keep their snapshots. */
  rebase(base: Snapshot, baseTrie: StateTrie): void {
    this.#state = rebased(this.#state, base, baseTrie)
    this.#content = withBase(this.#content, base, baseTrie)
    const unshown = this.#unshownBase
    this.#unshownBase = base
    if (this.#content.pending !== undefined) this.resume()
    if (unshown !== base) unshown?.release()
  }

  #flashblock(built: BuiltFlashblock, next?: SealRecord): void {
    const { base, baseTrie } = this.#state.content
    // The trie may read an older snapshot, which the assembler releases with the block.
    const trie = built.trie.withSource(base.trieNodes, baseTrie)
    this.#record(recordOf(built), { built: { ...built, trie }, next })
  }

  #record(record: ChainRecord, hints: Hints = {}): void {
    // Before it is appended: the log must not have a record that this leader and its followers cannot apply.
    const sequence = this.#deps.journal.lastSequence + 1
    const applied = applyRecord(this.#state, { sequence, record }, hints)
    if (this.#options.checksRecords === true) checkHints(this.#state, { sequence, record }, hints, applied)
    this.#deps.journal.append(record)
    this.#state = applied.state
    if (applied.effects.length > 0) this.#effects = [...this.#effects, ...applied.effects]
  }

  #execute(effect: Effect): void {
    switch (effect.kind) {
      case 'show':
        this.#publish(effect)
        break
      case 'write':
        if (this.#isStoring) this.#deps.writer.enqueue(sealedIn(this.#head!, effect.number))
        break
      case 'pool':
      case 'drop':
      case 'epoch':
      case 'unwind':
        // The leader does these where it records them.
        break
      default:
        effect satisfies never
    }
  }

  #publish({ content: shown, flashblocks, sealed }: Shown): void {
    const { pending } = shown
    if (pending === undefined) throw new Error('no block is open')
    const { base, baseTrie } = this.#content
    // The base may have changed while the disk was busy.
    const content = withBase({ ...shown, pending }, base, baseTrie)
    const head = assembleHead(content, this.#options.finality, { before: this.#head })
    this.#head = head
    this.#unshownBase = undefined
    // The tries of the head read stored nodes from the base and release those in memory.
    this.#content = { ...content, recent: head.recent, pending: head.pending }
    if (this.#state.content.sequence === head.sequence) this.#state = { ...this.#state, content: this.#content }
    this.#deps.publish({ head, flashblocks, sealed })
  }
}

interface Shown extends Pick<ShowEffect, 'flashblocks' | 'sealed'> {
  readonly content: FollowedContent
}

function recordOf({ layer }: BuiltFlashblock): ChainRecord {
  const { header, index, transactions, receipts, diff, withdrawals, isLast } = layer
  return { kind: 'flashblock', header, index, transactions, receipts, diff, withdrawals, isLast }
}
