import type { RecordedPool } from '../node/intake/unacknowledged-pool.ts'
import type { Bytes } from '../primitives/hex.ts'
import type { DropRecord, PoolRecord } from '../state/records/record.ts'
import { encodeSnapshotPart } from '../state/records/snapshot-part.ts'
import type { Snapshot } from '../state/snapshot.ts'

/** Entries of a part of the index of token holders: 50 KB. */
const HOLDERS_PER_PART = 1_024
/** Bytes of a part of the state; each block is a part of its own. */
const PART_BYTES = 64 * 1024
const TRANSACTIONS_PER_PART = 100
/** Minimum number of blocks in a copy: those that BLOCKHASH can access. */
const COPIED_BLOCKS = 256

export interface CopiedChain {
  readonly snapshot: Snapshot
  /** The oldest of its blocks above genesis. */
  readonly oldestBlock: number
  readonly pool: RecordedPool
}

/**
 * The oldest block in a copy of a chain up to `number`.
 *
 * @param finalityDepth blocks between latest and finalized
 */
export function oldestCopiedBlock(number: number, finalityDepth: number): number {
  return Math.max(1, number - Math.max(COPIED_BLOCKS, finalityDepth))
}

/** A snapshot of the chain at a sealed block, for a node that has only genesis. Read lazily. */
export function* copyParts({ snapshot, oldestBlock, pool }: CopiedChain): Generator<Bytes> {
  for (const diff of snapshot.stateParts(PART_BYTES)) yield encodeSnapshotPart({ kind: 'state', diff })
  for (const part of snapshot.holderParts(HOLDERS_PER_PART)) yield encodeSnapshotPart({ kind: 'holders', ...part })
  for (let number = oldestBlock; number <= snapshot.number; number += 1) {
    const block = snapshot.block(number)!
    yield encodeSnapshotPart({ kind: 'block', block, receipts: snapshot.receipts(number)! })
  }
  for (const record of poolRecords(pool)) yield encodeSnapshotPart({ kind: 'pool', record })
}

/** The pool and dropped transactions, as records of bounded size. */
export function* poolRecords({ waiting, dropped }: RecordedPool): Generator<PoolRecord | DropRecord> {
  for (const transactions of pieces(waiting)) yield { kind: 'pool', transactions }
  for (const transactions of pieces(dropped)) yield { kind: 'drop', transactions }
}

function* pieces<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += TRANSACTIONS_PER_PART) {
    yield items.slice(start, start + TRANSACTIONS_PER_PART)
  }
}
