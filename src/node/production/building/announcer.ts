import type { BuiltFlashblock } from '../../../engine/block/build-block.ts'
import { withDiff } from '../../../state/diff.ts'
import { diffParts } from '../../../state/diff-parts.ts'
import type { ChainRecord } from '../../../state/records/record.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import type { StateDiff } from '../../../state/state-diff.ts'
import type { StateTrie } from '../../../state/trie/state-trie.ts'
import type { Journal } from '../../log/journal.ts'
import type { Announcement } from '../../machine/announcement.ts'
import type { Finality } from '../../machine/finality.ts'
import type { PendingAlterations } from '../../machine/followed-content.ts'
import type { Alterations, BuiltBlock, Head } from '../../machine/head.ts'
import {
  assembleHead,
  type HeadContent,
  MAX_PARTIAL_BLOCKS,
  withBase,
  withFlashblock,
  withReplaced,
  withSeal,
} from '../../machine/head-transitions.ts'
import type { BlockWriter } from '../../store/block-writer.ts'
import { type Parent, parentOf } from './parent.ts'

/** Target size of the record of an alteration: followers hold each record in memory as a whole. */
const ALTERATION_BYTES = 4 * 2 ** 20

export interface AnnouncerOptions {
  /** Depth of the finalized block. */
  readonly finality: Finality
}

export interface AnnouncerDeps {
  readonly journal: Journal
  readonly writer: Pick<BlockWriter, 'enqueue'>
  /** Called with every new head and the changes it contains, in event order. */
  readonly publish: (announcement: Announcement) => void
}

/** The chain above the store; no block is open before its first flashblock. */
export type ChainAboveStore = Omit<HeadContent, 'pending'> & {
  readonly pending?: BuiltBlock
  /** Alterations of the newest sealed block while no block is open. */
  readonly altered?: PendingAlterations | undefined
}

/** Recorded changes that no head shows yet: a seal, and the opening of a block that replaces an empty one. */
interface Staged {
  readonly content: HeadContent
  readonly unseen: readonly BuiltFlashblock[]
  /** Whether the open block of `content` is sealed: the next flashblock opens another one. */
  readonly isSealed: boolean
}

/**
 * Builds heads from the flashblocks of the block assembler. Records are durable before they are announced. At the end
 * of a block the last flashblock, the seal and the opening of the next block become visible in one swap, so a complete
 * flashblock waits here for the opening.
 */
export class Announcer {
  readonly #options: AnnouncerOptions
  readonly #deps: AnnouncerDeps
  #content: ChainAboveStore
  #head: Head | undefined
  #staged: Staged | undefined
  /** Recorded alterations that no head shows yet. */
  #altered: Alterations | undefined

  /** @param content of recovery; without an open block, call `open` first */
  constructor(content: ChainAboveStore, options: AnnouncerOptions, deps: AnnouncerDeps) {
    this.#content = content
    this.#options = options
    this.#deps = deps
  }

  /** The announced chain on the newest base. */
  get content(): ChainAboveStore {
    return this.#content
  }

  /** The newest announced sealed block with its alterations, as the parent of a block that replaces the open one. */
  parent(): Parent {
    const { recent, pending, altered } = this.#content
    return parentOf(this.#content, recent, this.#altered ?? altered ?? pending?.prelude)
  }

  /** Publishes the recovered head with its open block. */
  resume(): void {
    this.#swap(this.#opened(), [])
  }

  /** For a head whose open block is sealed already: the next `open` shows the seal and the unseen flashblocks. */
  resumeSealed(content: HeadContent, unseen: readonly BuiltFlashblock[]): Parent {
    this.#staged = { content, unseen, isSealed: true }
    return parentOf(this.#content, [...this.#content.recent, content.pending])
  }

  /** Sets the content after an unwind; the next `open` shows it. */
  reset(left: Omit<ChainAboveStore, 'pending'>): void {
    this.#staged = undefined
    this.#content = left
  }

  /** Enqueues the recovered sealed blocks above the store for writing. */
  storeRecent(): void {
    for (const block of this.#head!.recent) this.#deps.writer.enqueue(block)
  }

  /** Records a flashblock of the open block, then announces it. */
  async announce(flashblock: BuiltFlashblock): Promise<void> {
    const sequence = this.#deps.journal.append(recordOf(flashblock))
    await this.#deps.journal.sync()
    const content = this.#opened()
    this.#swap(withFlashblock(content, extended(content.pending, flashblock), sequence), [flashblock])
  }

  /** Replaces the open block, which has no transactions, by another one; visible with the next `open` or `show`. */
  replace(first: BuiltFlashblock): void {
    const sequence = this.#deps.journal.append(recordOf(first))
    const content = withReplaced(this.#opened(), this.#firstOf(first), sequence)
    this.#staged = { content, unseen: [first], isSealed: false }
  }

  /**
   * Records state changes from outside that follow the newest sealed block. The open block, which has no transactions,
   * must be replaced. A large change becomes several records: after a crash, before the change is acknowledged,
   * recovery may apply only the first of them.
   */
  alter(diff: StateDiff): void {
    const { block, trie, prelude } = this.parent()
    const { number } = block.header
    for (const part of diffParts(diff, ALTERATION_BYTES)) {
      this.#deps.journal.append({ kind: 'alter', number, hash: block.hash, diff: part })
    }
    this.#altered = { diffs: withDiff(prelude?.diffs ?? [], diff), trie: trie.apply(diff) }
  }

  /** Seals the open block with its last flashblock; visible with the next `open`. */
  seal(flashblock: BuiltFlashblock): Parent {
    const { journal } = this.#deps
    const { content, unseen } = this.#staged ?? { content: this.#opened(), unseen: [] }
    const pending = extended(content.pending, flashblock)
    const { number } = pending.block.header
    const sequence = journal.append(recordOf(flashblock))
    journal.append({ kind: 'seal', number, hash: pending.block.hash })
    const sealed = withFlashblock(content, pending, sequence)
    this.#staged = { content: sealed, unseen: [...unseen, flashblock], isSealed: true }
    return parentOf(this.#content, [...this.#content.recent, pending])
  }

  /** Records the next block's first flashblock together with the preceding seal, then announces both. */
  async open(first: BuiltFlashblock): Promise<void> {
    const sequence = this.#deps.journal.append(recordOf(first))
    await this.#deps.journal.sync()
    const staged = this.#staged
    const opened = staged === undefined ? this.#firstOf(first) : builtBlock(first, { layers: [first.layer] })
    this.#staged = undefined
    // The base may have changed while the disk was busy.
    const { base, baseTrie, recent, partials } = this.#content
    if (staged === undefined) {
      this.#swap({ sequence, base, baseTrie, recent, partials: [new Map(), ...partials], pending: opened }, [first])
      return
    }
    const content = withSeal({ ...staged.content, base, baseTrie, recent }, opened, sequence)
    this.#swap(content, [...staged.unseen, first], content.recent.at(-1))
    this.#deps.writer.enqueue(this.#head!.recent.at(-1)!)
  }

  /** Records a sealed block that leaves the state as it is; visible with `openAfter`. */
  sealUnchanged(flashblock: BuiltFlashblock): BuiltBlock {
    const { header, hash } = flashblock.block
    this.#deps.journal.append(recordOf(flashblock))
    this.#deps.journal.append({ kind: 'seal', number: header.number, hash })
    return builtBlock(flashblock, { layers: [flashblock.layer] })
  }

  /** Records the opening of a block after sealed ones, then announces all of them with one head. */
  async openAfter(blocks: readonly BuiltBlock[], first: BuiltFlashblock): Promise<void> {
    const sequence = this.#deps.journal.append(recordOf(first))
    await this.#deps.journal.sync()
    const { base, baseTrie, recent, partials } = this.#content
    const unknown = Array.from({ length: Math.min(blocks.length, MAX_PARTIAL_BLOCKS) + 1 }, () => new Map())
    const content: HeadContent = {
      sequence,
      base,
      baseTrie,
      recent: [...recent, ...blocks],
      partials: [...unknown, ...partials.slice(1)].slice(0, MAX_PARTIAL_BLOCKS + 1),
      pending: builtBlock(first, { layers: [first.layer] }),
    }
    this.#content = content
    const head = assembleHead(content, this.#options.finality, { before: this.#head })
    this.#head = head
    const flashblocks = blocks.map(({ block, receipts, trie, layers }) => ({
      block,
      receipts,
      trie,
      layer: layers[0]!,
    }))
    this.#deps.publish({ head, flashblocks: [...flashblocks, first], sealed: blocks })
    for (const block of head.recent.slice(-blocks.length)) this.#deps.writer.enqueue(block)
  }

  /** Announces a replaced open block. No effect if nothing waits to be shown. */
  async show(): Promise<void> {
    if (this.#staged === undefined) return
    await this.#deps.journal.sync()
    const { content, unseen } = this.#staged
    this.#staged = undefined
    const { base, baseTrie, recent } = this.#content
    this.#swap({ ...content, base, baseTrie, recent }, unseen)
  }

  /** Moves to a newer base; readers of older heads keep their snapshots. */
  rebase(base: Snapshot, baseTrie: StateTrie): void {
    this.#content = withBase(this.#content, base, baseTrie)
    if (this.#content.pending !== undefined) this.#swap(this.#opened(), [])
  }

  /** The next block on the newest announced sealed one. */
  #firstOf(first: BuiltFlashblock): BuiltBlock {
    const { prelude } = this.parent()
    this.#altered = undefined
    return builtBlock(first, { layers: [first.layer], prelude })
  }

  #opened(): HeadContent {
    const { pending } = this.#content
    if (pending === undefined) throw new Error('no block is open')
    return { ...this.#content, pending }
  }

  #swap(content: HeadContent, flashblocks: readonly BuiltFlashblock[], sealed?: BuiltBlock): void {
    this.#content = content
    this.#head = assembleHead(content, this.#options.finality, { before: this.#head })
    this.#deps.publish({ head: this.#head, flashblocks, ...(sealed && { sealed: [sealed] }) })
  }
}

export function recordOf({ layer }: BuiltFlashblock): ChainRecord {
  const { header, index, transactions, receipts, diff } = layer
  return { kind: 'flashblock', header, index, transactions, receipts, diff }
}

function extended(pending: BuiltBlock, flashblock: BuiltFlashblock): BuiltBlock {
  const { layers, prelude } = pending
  return builtBlock(flashblock, { layers: [...layers, flashblock.layer], prelude })
}

function builtBlock(
  { block, receipts, trie }: BuiltFlashblock,
  { layers, prelude }: Pick<BuiltBlock, 'layers'> & { readonly prelude?: Alterations | undefined },
): BuiltBlock {
  return { block, receipts, layers, prelude, trie }
}
