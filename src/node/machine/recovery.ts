import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { UnwindRecord } from '../../state/records/record.ts'
import { isUndoneBy } from '../../state/records/record-kinds.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { applyRecord } from './apply-record.ts'
import { type ChainState, chainState, sealedPart } from './chain-state.ts'
import type { PendingAlterations } from './followed-content.ts'
import type { BuiltBlock, Head } from './head.ts'
import { MAX_PARTIAL_BLOCKS } from './head-transitions.ts'
import { PoolReplay } from './pool-replay.ts'
import { RecoveryError } from './recovery-error.ts'
import { alteredBy } from './unwinding.ts'

/** The record from which on another leader built the blocks. */
export interface Epoch {
  readonly sequence: number
  readonly leader: string
}

/** The newest block that the store retains. */
export interface RecoveryBase {
  readonly number: number
  readonly hash: Hash
  readonly trie: StateTrie
}

/** The chain and the pool as of the last record. */
export interface Recovered {
  /** Sealed blocks above the base, oldest first. */
  readonly recent: readonly BuiltBlock[]
  /** The open block. */
  readonly open: BuiltBlock | undefined
  /** Alterations of the newest sealed block if no block is open. */
  readonly altered: PendingAlterations | undefined
  /** Partial hashes of the newest blocks, newest first, beginning with those of the open block if there is one. */
  readonly partials: Head['partials']
  /**
   * Transactions that entered the pool after the last unwind and were not dropped, in order, including included ones.
   */
  readonly pooled: readonly PoolTransaction[]
  /** Dropped transactions with their reasons. */
  readonly dropped: readonly DroppedTransaction[]
  /** The newest change of the leader, if the records reach back to it. */
  readonly epoch: Epoch | undefined
  /** The newest record; 0 if there is none. */
  readonly sequence: number
}

/**
 * Rebuilds what the store does not contain from the records, oldest first: sealed blocks above the base, the open
 * block, and the pool.
 *
 * @throws RecoveryError when a record contradicts the store or earlier records
 */
export function recover({ number, hash, trie }: RecoveryBase, records: Iterable<NumberedRecord>): Recovered {
  const all = [...records]
  const pool = new PoolReplay()
  let epoch: Epoch | undefined
  // Applying records reads no other members of a snapshot.
  const base = { number, blockHash: (height: number) => (height === number ? hash : undefined) } as Snapshot
  let state = chainState(
    { sequence: 0, base, baseTrie: trie, recent: [], pending: undefined, partials: [] },
    { isOwn: true },
  )
  const unwoundFrom = unwindings(all)
  for (const [index, { sequence, record }] of all.entries()) {
    if (record.kind === 'unwind') {
      pool.unwind()
      state = withUnwound(state, record, unwoundFrom[index + 1] ?? Number.POSITIVE_INFINITY)
      continue
    }
    // Blocks that a later record unwinds may extend blocks that the store no longer has.
    if (isUndoneBy(record, unwoundFrom[index]!)) continue
    const { state: after, effects } = applyRecord(state, { sequence, record })
    state = after
    for (const effect of effects) {
      switch (effect.kind) {
        case 'pool':
          pool.add(effect.transactions)
          break
        case 'drop':
          pool.drop(effect.transactions)
          break
        case 'epoch':
          epoch = { sequence, leader: effect.leader }
          break
        case 'show':
        case 'write':
        case 'unwind':
          // The caller shows the result and stores its blocks; unwinds are applied above.
          break
        default:
          effect satisfies never
      }
    }
  }
  const sequence = all.at(-1)?.sequence ?? 0
  return { ...openAndSealed(state), pooled: pool.pooled, dropped: pool.dropped, epoch, sequence }
}

/**
 * The state after an unwind. `recover` has skipped the blocks above its target. If the target is the newest applied
 * block, the alterations of the record become those after that block.
 *
 * @param unwoundFrom the lowest height to which a later record unwinds
 */
function withUnwound(state: ChainState, { number, alterations }: UnwindRecord, unwoundFrom: number): ChainState {
  const { content, isSealed } = state
  if (alterations === undefined || number >= unwoundFrom || number < content.base.number) return state
  const altered = alteredBy(alterations)
  if (isSealed || content.pending === undefined) return { ...state, content: { ...content, altered } }
  throw new RecoveryError(`blocks above ${number} are unwound, and block ${number + 1} is open`)
}

/** For each record, the lowest height to which a later record unwinds. */
function unwindings(records: readonly NumberedRecord[]): Float64Array {
  const heights = new Float64Array(records.length)
  let height = Number.POSITIVE_INFINITY
  for (let index = records.length - 1; index >= 0; index--) {
    const { record } = records[index]!
    if (record.kind === 'unwind') height = Math.min(height, record.number)
    heights[index] = height
  }
  return heights
}

function openAndSealed(state: ChainState): Pick<Recovered, 'recent' | 'open' | 'altered' | 'partials'> {
  const { pending, altered, partials } = state.content
  if (pending !== undefined && !state.isSealed) {
    return { recent: state.content.recent, open: pending, altered: undefined, partials }
  }
  const { blocks: recent } = sealedPart(state)
  return { recent, open: undefined, altered, partials: partials.slice(0, MAX_PARTIAL_BLOCKS) }
}
