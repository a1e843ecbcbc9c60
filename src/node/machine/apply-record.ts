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
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { NumberedRecord } from '../log/journal.ts'
import {
  type ChainState,
  chainState,
  NOTHING_WITHHELD,
  type UnappliedBlock,
  type WithheldChanges,
} from './chain-state.ts'
import type { FollowedContent, PendingAlterations } from './followed-content.ts'
import type { BuiltBlock } from './head.ts'
import { MAX_PARTIAL_BLOCKS, partialOf, withFlashblock, withSeal } from './head-transitions.ts'
import { RecoveryError } from './recovery-error.ts'
import { checkRoots, emptyRoots, withAdded } from './root-check.ts'
import { unwound } from './unwinding.ts'

/** An action that remains to be done after a record. Roles differ in how they do it. */
export type Effect =
  | { readonly kind: 'pool'; readonly sequence: number; readonly transactions: readonly PoolTransaction[] }
  | { readonly kind: 'drop'; readonly sequence: number; readonly transactions: readonly DroppedTransaction[] }
  | { readonly kind: 'epoch'; readonly sequence: number; readonly leader: string }
  /** Blocks above the target are gone. Callers unwind the store and announce it where they apply the record. */
  | { readonly kind: 'unwind'; readonly sequence: number; readonly record: UnwindRecord }
  | ShowEffect
  /** A block that the shown head has as sealed can be stored. */
  | { readonly kind: 'write'; readonly sequence: number; readonly number: number }

/** A new head can be shown. */
export interface ShowEffect {
  readonly kind: 'show'
  readonly sequence: number
  readonly content: FollowedContent & { readonly pending: BuiltBlock }
  /** Flashblocks that no earlier effect included. */
  readonly flashblocks: readonly BuiltFlashblock[]
  /** Blocks sealed by them, oldest first. */
  readonly sealed: readonly BuiltBlock[]
}

/** Facts that the caller knows besides the record. */
export interface Hints {
  /** The record after it, if it is known. If it is a seal, the flashblock is shown together with the next opening. */
  readonly next?: ChainRecord | undefined
  /**
   * The flashblock of the record as this node built it, used as it is instead of being derived from the record; its
   * trie may compute its nodes later.
   */
  readonly built?: BuiltFlashblock | undefined
}

export interface Applied {
  readonly state: ChainState
  readonly effects: readonly Effect[]
}

const NO_EFFECTS: readonly Effect[] = Object.freeze([])

/**
 * Applies one record without executing anything. Pure. Verifies the order of flashblocks, the parent of a block, and
 * the block of a seal or of the target of an unwind; the state root unless `hints.built` is given; and the roots of
 * transactions and receipts unless `state.roots` is `undefined`.
 *
 * An unwind below the base needs the store as well: unwind it, and call `rebased` before the next record.
 *
 * @throws RecoveryError when the record does not follow the previous ones
 */
export function applyRecord(state: ChainState, { sequence, record }: NumberedRecord, hints: Hints = {}): Applied {
  switch (record.kind) {
    case 'pool':
    case 'drop':
      return { state, effects: [{ sequence, ...record }] }
    case 'epoch':
      return { state, effects: [{ kind: 'epoch', sequence, leader: record.leader }] }
    case 'seal':
      return { state: afterSeal(state, record, sequence), effects: NO_EFFECTS }
    case 'flashblock':
      if (isOfStore(state, record)) {
        return { state: afterStoredFlashblock(state, record, sequence), effects: NO_EFFECTS }
      }
      return afterFlashblock(state, { sequence, record }, hints)
    case 'unwind':
      return { state: unwound(state, record, sequence), effects: [{ kind: 'unwind', sequence, record }] }
    case 'alter':
      return { state: afterAlter(state, record, sequence), effects: NO_EFFECTS }
  }
}

/** The effects with one head in place of all: the last one, with the changes of the others. */
export function inOneHead(effects: readonly Effect[]): readonly Effect[] {
  const shows = effects.filter((effect) => effect.kind === 'show')
  const last = shows.at(-1)
  if (last === undefined || shows.length === 1) return effects
  const flashblocks = shows.flatMap((show) => show.flashblocks)
  const sealed = shows.flatMap((show) => show.sealed)
  const others = effects.filter(({ kind }) => kind !== 'show')
  return [{ ...last, flashblocks, sealed }, ...others]
}

function afterAlter(state: ChainState, { number, hash, diff }: AlterRecord, sequence: number): ChainState {
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
  return chainState(without, { isOwn: roots === undefined })
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

function afterSeal(state: ChainState, { hash }: SealRecord, sequence: number): ChainState {
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
function isOfStore({ content, roots }: ChainState, { header }: FlashblockRecord): boolean {
  return roots === undefined && content.pending === undefined && header.number <= content.base.number
}

function afterStoredFlashblock(state: ChainState, record: FlashblockRecord, sequence: number): ChainState {
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

function afterFlashblock(
  state: ChainState,
  { sequence, record }: { readonly sequence: number; readonly record: FlashblockRecord },
  hints: Hints,
): Applied {
  const { pending } = state.content
  const opens = record.index === 0
  if (replaces(state, record)) return afterFlashblock(withoutOpenBlock(state), { sequence, record }, hints)
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
  const { built } = hints
  const content = opens
    ? opened(state.content, record, { sequence, built })
    : continued(state.content, record, { sequence, built })
  const roots = state.roots && withAdded(opens ? emptyRoots() : state.roots, record)
  if (roots !== undefined) checkRoots(record.header, roots)
  const withheld = withWithheld(state.withheld, content.pending, opens && pending !== undefined ? pending : undefined)
  const after = { content, roots, isSealed: false, stored: undefined }
  if (hints.next?.kind === 'seal') return { state: { ...after, withheld }, effects: NO_EFFECTS }
  const show = { kind: 'show', sequence, content, ...withheld } as const
  const writes = withheld.sealed.map(({ block }) => ({ kind: 'write', sequence, number: block.header.number }) as const)
  return { state: { ...after, withheld: NOTHING_WITHHELD }, effects: [show, ...writes] }
}

/** @param sealed the block whose successor it opens */
function withWithheld(
  { flashblocks, sealed: before }: WithheldChanges,
  { block, receipts, layers, trie }: BuiltBlock,
  sealed: BuiltBlock | undefined,
): WithheldChanges {
  return {
    flashblocks: [...flashblocks, { layer: layers.at(-1)!, block, receipts, trie }],
    sealed: sealed === undefined ? before : [...before, sealed],
  }
}

/** Whether the record opens a block in place of the open one, which has no user transactions (development nodes). */
function replaces({ content: { pending }, isSealed }: ChainState, { index, header }: FlashblockRecord): boolean {
  if (index !== 0 || isSealed || pending === undefined) return false
  const { block } = pending
  return block.header.number === header.number && !hasUserTransactions(block)
}

function withoutOpenBlock(state: ChainState): ChainState {
  const { content } = state
  const altered = content.pending?.prelude
  return { ...state, content: { ...content, pending: undefined, altered, partials: content.partials.slice(1) } }
}

type OpenContent = ShowEffect['content']

interface Added {
  readonly sequence: number
  readonly built: BuiltFlashblock | undefined
}

function opened(content: FollowedContent, record: FlashblockRecord, { sequence, built }: Added): OpenContent {
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
  const block = withRecord(undefined, record, { prelude, trie: prelude?.trie ?? parentTrie, built })
  const above = { ...content, altered: undefined }
  if (pending !== undefined) return withSeal({ ...above, pending }, block, sequence)
  const partials = [new Map(), ...content.partials.slice(0, MAX_PARTIAL_BLOCKS)]
  return { ...above, sequence, pending: block, partials }
}

function continued(content: FollowedContent, record: FlashblockRecord, { sequence, built }: Added): OpenContent {
  const pending = content.pending!
  const { header, index } = record
  const next = pending.layers.at(-1)!.index + 1
  if (index !== next || pending.block.header.number !== header.number) {
    throw new RecoveryError(`flashblock ${index} of block ${header.number} comes where flashblock ${next} should`)
  }
  return withFlashblock({ ...content, pending }, withRecord(pending, record, { ...pending, built }), sequence)
}

/** The block with another flashblock, whose diff is applied to the state trie. @param trie before the flashblock */
function withRecord(
  before: UnappliedBlock | undefined,
  record: FlashblockRecord,
  { prelude, trie, built }: Pick<BuiltBlock, 'prelude' | 'trie'> & Pick<Added, 'built'>,
): BuiltBlock {
  if (built !== undefined) {
    const layers = [...(before?.layers ?? []), built.layer]
    return { block: built.block, receipts: built.receipts, layers, prelude, trie: built.trie }
  }
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
  const { header, index, transactions: added, receipts, diff, withdrawals, isLast } = record
  const hash = hashHeader(header)
  const firstTransaction = before?.block.transactions.length ?? 0
  const place = { header, hash, index, firstTransaction }
  const layer = createLayer({ ...place, transactions: added, receipts, diff, withdrawals, isLast })
  const transactions = Object.freeze([...(before?.block.transactions ?? []), ...added])
  const content = { header, transactions, uncles: [], withdrawals }
  return {
    block: createBlock({ hash, size: blockSize(content), ...content }),
    receipts: Object.freeze([...(before?.receipts ?? []), ...receipts]),
    layers: [...(before?.layers ?? []), layer],
  }
}
