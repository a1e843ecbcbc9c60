import type { Block } from '../chain/block.ts'
import type { FoundLog, LogQuery } from '../chain/log-query.ts'
import type { Receipt } from '../chain/receipt.ts'
import type { Hash } from '../primitives/hex.ts'
import type { StateReader } from './state-reader.ts'
import type { StateTrie } from './trie/state-trie.ts'

/** Where a transaction stands. */
export interface TransactionPlace {
  readonly blockNumber: number
  readonly index: number
}

/**
 * All that is known up to and including sealed block `number`, pinned: blocks written later do not show.
 * State at a block, logs over a range and look-ups by hash cost the same however long the chain is.
 */
export interface Snapshot {
  readonly number: number
  /** One more owner; it begins with one. Every owner releases once, and the last gives back what it pins. */
  retain(): void
  release(): void
  block(number: number): Block | undefined
  receipts(number: number): readonly Receipt[] | undefined
  blockNumber(hash: Hash): number | undefined
  transactionPlace(hash: Hash): TransactionPlace | undefined
  /** State after block `number`; `undefined` when it is above this snapshot. */
  stateAt(number: number): StateReader | undefined
  /** Matching logs of blocks `from` to `to`, both included, in chain order. */
  logs(query: LogQuery, from: number, to: number): Iterable<FoundLog>
  /** The state trie after block `number`. */
  trieAt(number: number): StateTrie | undefined
}
