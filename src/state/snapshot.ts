import type { Block } from '../chain/block/block.ts'
import type { Header } from '../chain/block/header.ts'
import type { LogMatch, LogQuery } from '../chain/receipt/log-query.ts'
import type { Receipt } from '../chain/receipt/receipt.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import type { Hash } from '../primitives/hex.ts'
import type { StateDiff } from './state-diff.ts'
import type { StateReader } from './state-reader.ts'
import type { TrieNodeSource } from './trie/trie-node-source.ts'

/** Where a transaction stands. */
export interface TransactionLocation {
  readonly blockNumber: number
  readonly index: number
}

/** One transaction of a block. */
export interface StoredTransaction {
  readonly transaction: RecoveredTransaction
  readonly receipt: Receipt
  /** In the block. */
  readonly index: number
  readonly block: Pick<Block, 'header' | 'hash'>
}

/**
 * All that is known up to and including sealed block `number`, pinned: blocks written later do not show.
 * State at a block, logs over a range and look-ups by hash cost the same however long the chain is.
 */
export interface Snapshot {
  readonly number: number
  /** The oldest block whose state is kept. */
  readonly oldestState: number
  /** The oldest block above genesis that is here: 0 where all are; reading one before it throws BlockPrunedError. */
  readonly oldestBlock: number
  /** What was finalized when blocks were taken back last, and stays so: 0 where none were. */
  readonly finalizedBefore: number
  /** One more owner; it begins with one. Every owner releases once, and the last gives back what it pins. */
  retain(): void
  release(): void
  header(number: number): Header | undefined
  block(number: number): Block | undefined
  receipts(number: number): readonly Receipt[] | undefined
  blockNumber(hash: Hash): number | undefined
  /** Without reading the block. */
  blockHash(number: number): Hash | undefined
  transactionPlace(hash: Hash): TransactionLocation | undefined
  /** Reads no other transaction of the block; `undefined`: there is none at that place. */
  transactionAt(position: TransactionLocation): StoredTransaction | undefined
  /**
   * State after block `number`; `undefined` when it is above this snapshot.
   *
   * @throws HistoryPrunedError when it is not kept any more
   */
  stateAt(number: number): StateReader | undefined
  /**
   * Matching logs of blocks `from` to `to`, both included, in chain order, found as they are asked for.
   *
   * @param checkpoint called every few hundred steps, also while nothing is found; what it throws ends the search
   */
  logs(query: LogQuery, from: number, to: number, checkpoint?: () => void): Iterable<LogMatch>
  /** The whole state after block `number` of this snapshot, as diffs on nothing of about `partBytes` each. */
  stateParts(partBytes: number): Iterable<StateDiff>
  /** Nodes of the state tries after block `number` of this snapshot. */
  readonly trieNodes: TrieNodeSource
  /**
   * What turns the state after block `number` into the one before it: tries of older blocks are derived so. `undefined`
   * for genesis and above this snapshot.
   *
   * @throws HistoryPrunedError when the state before it is not kept any more
   */
  reverseDiff(number: number): StateDiff | undefined
}
