import { createBlock } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { hasUserTransactions } from '../../chain/system-transactions/l1-attributes.ts'
import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { BuiltFlashblock } from '../../engine/block/build-block.ts'
import { withDiff } from '../../state/diff.ts'
import { createLayer } from '../../state/layer.ts'
import type {
  AlterRecord,
  ChainRecord,
  FlashblockRecord,
  SealRecord,
  UnwindRecord,
} from '../../state/records/record.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { NumberedRecord } from '../log/journal.ts'
import type { FollowedContent, PendingAlterations } from './followed-content.ts'
import type { BuiltBlock } from './head.ts'
import { MAX_PARTIAL_BLOCKS, partialOf, withBase, withFlashblock, withSeal } from './head-transitions.ts'
import { RecoveryError } from './recovery-error.ts'
import { type BlockRoots, checkRoots, emptyRoots, withAdded } from './root-check.ts'

/** The effect of a record on pool and head. */
export type Effect =
  | { readonly kind: 'pool'; readonly sequence: number; readonly transactions: readonly PoolTransaction[] }
  | { readonly kind: 'drop'; readonly sequence: number; readonly transactions: readonly DroppedTransaction[] }
  | { readonly kind: 'epoch'; readonly sequence: number; readonly leader: string }
  | ShowEffect

/** A new head can be shown. */
export interface ShowEffect {
  readonly kind: 'show'
  readonly sequence: number
  readonly content: FollowedContent & { readonly pending: BuiltBlock }
  /** Flashblocks that no earlier effect included. */
  readonly flashblocks: readonly BuiltFlashblock[]
  readonly sealed: BuiltBlock | undefined
}

/** The chain as of a record. Immutable. */
export interface ReplayState {
  readonly content: FollowedContent
  /** Roots of the open block; `undefined`: the records are this node's own, and only state roots are checked. */
  readonly roots: BlockRoots | undefined
  /** Whether the open block is sealed: the next flashblock opens another one. */
  readonly isSealed: boolean
  /** Flashblocks that were applied but not shown yet. */
  readonly unseen: readonly BuiltFlashblock[]
  /** A block that is stored already: only its partial hashes are collected. */
  readonly stored: UnappliedBlock | undefined
}

type UnappliedBlock = Omit<BuiltBlock, 'trie' | 'prelude'>

export interface Reduced {
  readonly state: ReplayState
  readonly effect: Effect | undefined
}

/**
 * Starts a replay of the records after `content`, whose open block is not sealed.
 *
 * @param isOwn this node wrote the records: their transactions and receipts are not checked against the header, and
 * they may begin below the newest stored block
 */
export function replayStart(
  content: FollowedContent,
  { isOwn = false }: { readonly isOwn?: boolean } = {},
): ReplayState {
  const { pending } = content
  const { transactions } = pending?.block ?? { transactions: [] }
  const roots = isOwn ? undefined : withAdded(emptyRoots(), { transactions, receipts: pending?.receipts ?? [] })
  return { content, roots, isSealed: false, unseen: [], stored: undefined }
}

/**
 * Applies one record without executing anything. Pure. Verifies the hash of a header, the state root, the roots of
 * transactions and receipts, and the block of a seal or of the target of an unwind.
 *
 * An unwind below the base needs the store as well: unwind it, and call `rebased` before the next record.
 *
 * @param next the record after it, if known: the last flashblock of a block is shown with the opening after it
 * @throws RecoveryError when the record does not follow the previous ones
 */
export function reduceRecord(state: ReplayState, { sequence, record }: NumberedRecord, next?: ChainRecord): Reduced {
  switch (record.kind) {
    case 'pool':
    case 'drop':
      return { state, effect: { sequence, ...record } as Effect }
    case 'epoch':
      return { state, effect: { kind: 'epoch', sequence, leader: record.leader } }
    case 'seal':
      return { state: afterSeal(state, record, sequence), effect: undefined }
    case 'flashblock':
      if (isOfStore(state, record)) return { state: afterStoredFlashblock(state, record, sequence), effect: undefined }
      return afterFlashblock(state, record, sequence, next?.kind === 'seal')
    case 'unwind':
      return { state: afterUnwind(state, record, sequence), effect: undefined }
    case 'alter':
      return { state: afterAlter(state, record, sequence), effect: undefined }
  }
}

/**
 * The same chain on another snapshot of the store: of a newer block, or of the block to which the store was unwound.
 */
export function rebased(state: ReplayState, base: Snapshot, baseTrie: StateTrie): ReplayState {
  return { ...state, content: withBase(state.content, base, baseTrie) }
}

function afterUnwind(
  { content, roots }: ReplayState,
  { number, hash, alterations }: UnwindRecord,
  sequence: number,
): ReplayState {
  const { base, pending } = content
  const target = content.recent.find(({ block }) => block.header.number === number)
  if ((target?.block.hash ?? base.blockHash(number)) !== hash) {
    throw new RecoveryError(`record ${sequence} goes back to block ${hash}, which is not here`)
  }
  const recent = content.recent.filter(({ block }) => block.header.number <= number)
  const newest = pending ?? content.recent.at(-1)
  const removed = (newest?.block.header.number ?? base.number) - number
  const altered = alterations && { diffs: [alterations], trie: undefined }
  const kept = { ...content, sequence, recent, pending: undefined, altered, partials: content.partials.slice(removed) }
  return replayStart(kept, { isOwn: roots === undefined })
}

function afterAlter(state: ReplayState, { number, hash, diff }: AlterRecord, sequence: number): ReplayState {
  const { content, isSealed, roots } = state
  const { base, recent, pending, partials } = content
  // Own records may begin below the newest stored block, which has the alterations before it.
  if (roots === undefined && pending === undefined && number < base.number) {
    if (state.stored === undefined) return state
    return { ...state, content: { ...content, partials: partials.slice(1) }, stored: undefined }
  }
  const open = isSealed ? undefined : pending
  const newest = isSealed ? pending : recent.at(-1)
  if ((newest?.block.hash ?? base.blockHash(base.number)) !== hash) {
    throw new RecoveryError(`record ${sequence} alters the state after block ${hash}, which is not the newest`)
  }
  if (open !== undefined && hasUserTransactions(open.block)) {
    throw new RecoveryError(`record ${sequence} alters the state below block ${number + 1}, which has transactions`)
  }
  const before: PendingAlterations | undefined = open?.prelude ?? content.altered
  const altered = withAlteration(newest?.trie ?? content.baseTrie, before, diff)
  if (isSealed) return { ...state, content: { ...content, sequence, altered } }
  const kept = open === undefined ? partials : partials.slice(1)
  const without = { ...content, sequence, pending: undefined, altered, partials: kept }
  return replayStart(without, { isOwn: roots === undefined })
}

/** The trie is advanced by each alteration: applying all of them at every opening would take quadratic time. */
function withAlteration(
  parent: StateTrie,
  before: PendingAlterations | undefined,
  diff: StateDiff,
): PendingAlterations {
  const trie = before === undefined ? parent : trieAfter(before, parent)
  return { diffs: withDiff(before?.diffs ?? [], diff), trie: trie.apply(diff) }
}

/** The state trie after alterations. @param below the one before them */
export function trieAfter({ diffs, trie }: PendingAlterations, below: StateTrie): StateTrie {
  return trie ?? diffs.reduce((before, diff) => before.apply(diff), below)
}

function afterSeal(state: ReplayState, { hash }: SealRecord, sequence: number): ReplayState {
  const sealed = state.stored ?? (state.isSealed ? undefined : state.content.pending)
  if (sealed === undefined) {
    // A node's own records may begin in the middle of a stored block.
    if (state.roots === undefined && !state.isSealed) return state
    throw new RecoveryError(`record ${sequence} seals a block that is not open`)
  }
  if (sealed.block.hash !== hash) {
    throw new RecoveryError(`record ${sequence} seals ${hash}, the open block is ${sealed.block.hash}`)
  }
  return state.stored === undefined ? { ...state, isSealed: true } : { ...state, stored: undefined }
}

/** Whether a flashblock belongs to a stored block: own records may begin below the newest stored block. */
function isOfStore({ content, roots }: ReplayState, { header }: FlashblockRecord): boolean {
  return roots === undefined && content.pending === undefined && header.number <= content.base.number
}

function afterStoredFlashblock(state: ReplayState, record: FlashblockRecord, sequence: number): ReplayState {
  const { content, stored: before } = state
  const { header, index } = record
  const [current, ...older] = content.partials
  if (index === 0) {
    const isReplacement = before?.block.header.number === header.number
    const partials = [new Map(), ...(isReplacement ? older : content.partials.slice(0, MAX_PARTIAL_BLOCKS))]
    return { ...state, content: { ...content, sequence, partials }, stored: extended(undefined, record) }
  }
  // The file with the beginning of the block was deleted.
  if (before === undefined) return { ...state, content: { ...content, sequence } }
  if (before.block.header.number !== header.number || before.layers.at(-1)!.index + 1 !== index) {
    throw new RecoveryError(
      `record ${sequence} is flashblock ${index} of block ${header.number}: one before it is missing`,
    )
  }
  const partial = partialOf(before)
  const partials = [new Map(current).set(partial.hash, partial), ...older]
  return { ...state, content: { ...content, sequence, partials }, stored: extended(before, record) }
}

function afterFlashblock(state: ReplayState, record: FlashblockRecord, sequence: number, isHeld: boolean): Reduced {
  const { pending } = state.content
  const opens = record.index === 0
  if (replaces(state, record)) return afterFlashblock(withoutOpenBlock(state), record, sequence, isHeld)
  if (pending !== undefined && opens !== state.isSealed) {
    throw new RecoveryError(
      `record ${sequence} is flashblock ${record.index}, and block ${pending.block.header.number} is ` +
        `${state.isSealed ? '' : 'not '}sealed`,
    )
  }
  if (pending === undefined && !opens) {
    throw new RecoveryError(
      `the store ends at block ${state.content.base.number}, and of block ${record.header.number} only the ` +
        `end is recorded`,
    )
  }
  const content = opens ? opened(state.content, record, sequence) : continued(state.content, record, sequence)
  const roots = state.roots && withAdded(opens ? emptyRoots() : state.roots, record)
  if (roots !== undefined) checkRoots(record.header, roots)
  const { block, receipts, layers, trie } = content.pending
  const unseen = [...state.unseen, { layer: layers.at(-1)!, block, receipts, trie }]
  const after = { content, roots, isSealed: false, stored: undefined }
  if (isHeld) return { state: { ...after, unseen }, effect: undefined }
  const sealed = opens && pending !== undefined ? content.recent.at(-1) : undefined
  return {
    state: { ...after, unseen: [] },
    effect: { kind: 'show', sequence, content, flashblocks: unseen, sealed },
  }
}

/** Whether the record opens a block in place of the open one, which has no user transactions (development nodes). */
function replaces({ content: { pending }, isSealed }: ReplayState, { index, header }: FlashblockRecord): boolean {
  if (index !== 0 || isSealed || pending === undefined) return false
  const { block } = pending
  return block.header.number === header.number && !hasUserTransactions(block)
}

function withoutOpenBlock(state: ReplayState): ReplayState {
  const { content } = state
  const altered = content.pending?.prelude
  return { ...state, content: { ...content, pending: undefined, altered, partials: content.partials.slice(1) } }
}

type OpenContent = ShowEffect['content']

function opened(content: FollowedContent, record: FlashblockRecord, sequence: number): OpenContent {
  const { pending, base, recent, baseTrie, altered } = content
  const below = pending ?? recent.at(-1)
  const parentHash = below?.block.hash ?? base.blockHash(base.number)
  const { number } = record.header
  if (record.header.parentHash !== parentHash) {
    throw new RecoveryError(
      `record ${sequence} opens block ${number} on ${record.header.parentHash}, not on ${parentHash}`,
    )
  }
  const parentTrie = below?.trie ?? baseTrie
  const prelude = altered && { diffs: altered.diffs, trie: trieAfter(altered, parentTrie) }
  const block = applied(undefined, record, { prelude, trie: prelude?.trie ?? parentTrie })
  const above = { ...content, altered: undefined }
  if (pending !== undefined) return withSeal({ ...above, pending }, block, sequence)
  const partials = [new Map(), ...content.partials.slice(0, MAX_PARTIAL_BLOCKS)]
  return { ...above, sequence, pending: block, partials }
}

function continued(content: FollowedContent, record: FlashblockRecord, sequence: number): OpenContent {
  const pending = content.pending!
  const { header, index } = record
  const next = pending.layers.at(-1)!.index + 1
  if (index !== next || pending.block.header.number !== header.number) {
    throw new RecoveryError(`flashblock ${index} of block ${header.number} comes where flashblock ${next} should`)
  }
  return withFlashblock({ ...content, pending }, applied(pending, record, pending), sequence)
}

/** The block with another flashblock, whose diff is applied to the state trie. @param trie before the flashblock */
function applied(
  before: UnappliedBlock | undefined,
  record: FlashblockRecord,
  { prelude, trie }: Pick<BuiltBlock, 'prelude' | 'trie'>,
): BuiltBlock {
  const { header, index, diff } = record
  const { block, receipts, layers } = extended(before, record)
  const after = trie.apply(diff)
  if (after.root === header.stateRoot) return { block, receipts, layers, prelude, trie: after }
  throw new RecoveryError(
    `flashblock ${index} of block ${header.number} gives the state root ${after.root}, its header has ` +
      `${header.stateRoot}`,
  )
}

function extended(before: UnappliedBlock | undefined, record: FlashblockRecord): UnappliedBlock {
  const { header, index, transactions: added, receipts, diff } = record
  const hash = hashHeader(header)
  const firstTransaction = before?.block.transactions.length ?? 0
  const layer = createLayer({ header, hash, index, firstTransaction, transactions: added, receipts, diff })
  const transactions = Object.freeze([...(before?.block.transactions ?? []), ...added])
  const content = { header, transactions, uncles: [], withdrawals: [] }
  return {
    block: createBlock({ hash, size: blockSize(content), ...content }),
    receipts: Object.freeze([...(before?.receipts ?? []), ...receipts]),
    layers: [...(before?.layers ?? []), layer],
  }
}
