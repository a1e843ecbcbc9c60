import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Flashblock } from '../../engine/block/build-block.ts'
import type { ChainRecord, FlashblockRecord, SealRecord } from '../../state/record.ts'
import { type FollowedContent, withFlashblockRecord } from './followed-content.ts'
import type { BuiltBlock } from './head.ts'
import { RecoveryError } from './recovery.ts'
import { type BlockRoots, checkRoots, emptyRoots, withAdded } from './root-check.ts'

/** What a replica does next, in the order of the records. */
export type Step =
  | { readonly kind: 'pool'; readonly sequence: number; readonly transactions: readonly PoolTransaction[] }
  | { readonly kind: 'drop'; readonly sequence: number; readonly transactions: readonly DroppedTransaction[] }
  | { readonly kind: 'epoch'; readonly sequence: number; readonly leader: string }
  | {
      readonly kind: 'show'
      readonly sequence: number
      readonly content: FollowedContent & { readonly pending: BuiltBlock }
      readonly flashblocks: readonly Flashblock[]
      readonly sealed: BuiltBlock | undefined
    }

/** Where the records stand. */
export interface FoldState {
  readonly content: FollowedContent
  readonly roots: BlockRoots
  /** Whether the open block is sealed, and the next flashblock opens another. */
  readonly isSealed: boolean
  /** Applied and not shown yet. */
  readonly unseen: readonly Flashblock[]
}

/** @param content as recovery or a snapshot left it: the open block is not sealed */
export function foldStart(content: FollowedContent): FoldState {
  const { pending } = content
  const { transactions } = pending?.block ?? { transactions: [] }
  const roots = withAdded(emptyRoots(), { transactions, receipts: pending?.receipts ?? [] })
  return { content, roots, isSealed: false, unseen: [] }
}

/**
 * What one record does: pure, and the state before stays as it was. Headers are hashed; transactions, receipts and state
 * are compared with the header's roots, the seal with its block.
 *
 * @param next the record after it, where it is known: the last flashblock of a block shows with the opening after it
 * @throws RecoveryError when the record does not follow the ones before
 */
export function foldRecord(
  state: FoldState,
  { sequence, record }: { readonly sequence: number; readonly record: Exclude<ChainRecord, { kind: 'unwind' }> },
  next: ChainRecord | undefined,
): { readonly state: FoldState; readonly step: Step | undefined } {
  switch (record.kind) {
    case 'pool':
    case 'drop':
    case 'epoch':
      return { state, step: { sequence, ...record } as Step }
    case 'seal':
      return { state: withSealRecord(state, record, sequence), step: undefined }
    case 'flashblock':
      return withFlashblock(state, record, sequence, next?.kind === 'seal')
  }
}

function withSealRecord(state: FoldState, { hash }: SealRecord, sequence: number): FoldState {
  const { pending } = state.content
  if (pending === undefined || state.isSealed)
    throw new RecoveryError(`record ${sequence} seals a block that is not open`)
  if (pending.block.hash !== hash) {
    throw new RecoveryError(`record ${sequence} seals ${hash}, the open block is ${pending.block.hash}`)
  }
  return { ...state, isSealed: true }
}

function withFlashblock(
  state: FoldState,
  record: FlashblockRecord,
  sequence: number,
  isHeld: boolean,
): { readonly state: FoldState; readonly step: Step | undefined } {
  const { pending } = state.content
  const opens = record.index === 0
  if (pending !== undefined && opens !== state.isSealed) {
    throw new RecoveryError(
      `record ${sequence} is flashblock ${record.index}, and block ${pending.block.header.number} is ${state.isSealed ? '' : 'not '}sealed`,
    )
  }
  if (pending === undefined && !opens)
    throw new RecoveryError(`record ${sequence} goes on with a block that is not open`)
  const roots = withAdded(opens ? emptyRoots() : state.roots, record)
  checkRoots(record.header, roots)
  const content = withFlashblockRecord(state.content, record, sequence)
  const { pending: built } = content
  if (built === undefined) throw new RecoveryError(`record ${sequence} is of a block that is stored already`)
  const { block, receipts, trie } = built
  const unseen = [...state.unseen, { layer: built.layers.at(-1)!, block, receipts, trie }]
  const shown = { ...content, pending: built }
  const after = { content: shown, roots, isSealed: false }
  if (isHeld) return { state: { ...after, unseen }, step: undefined }
  const sealed = opens && pending !== undefined ? shown.recent.at(-1) : undefined
  return {
    state: { ...after, unseen: [] },
    step: { kind: 'show', sequence, content: shown, flashblocks: unseen, sealed },
  }
}
