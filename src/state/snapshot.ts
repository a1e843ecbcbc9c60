import type { Block } from '../chain/block/block.ts'
import type { Header } from '../chain/block/header.ts'
import type { LogMatch, LogQuery } from '../chain/receipt/log-query.ts'
import type { Receipt } from '../chain/receipt/receipt.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import type { Address, Hash } from '../primitives/hex.ts'
import type { ChainBelow } from './chain-below.ts'
import type { StateDiff } from './state-diff.ts'
import type { StateReader } from './state-reader.ts'
import type { TrieNodeSource } from './trie-node-source.ts'

/** Location of a transaction. */
export interface TransactionLocation {
  readonly blockNumber: number
  readonly index: number
}

/** One transaction of a block. */
export interface StoredTransaction {
  readonly transaction: RecoveredTransaction
  readonly receipt: Receipt
  /** Index in the block. */
  readonly index: number
  readonly block: Pick<Block, 'header' | 'hash'>
}

/** An account that has received units of a token. */
export interface TokenHolder {
  readonly holder: Address
  /** Block of the first transfer to it. */
  readonly since: number
}

/** A part of the index of token holders. */
export interface HolderPart {
  /** The first block from which on all recipients are indexed. */
  readonly from: number
  readonly holders: readonly (readonly [token: Address, holder: TokenHolder])[]
}

/**
 * Everything up to and including sealed block `number`, pinned: later writes do not show. State at a block, logs over a
 * range and look-ups by hash cost the same whatever the length of the chain.
 */
export interface Snapshot {
  readonly number: number
  /** The oldest block whose state is retained. */
  readonly oldestState: number
  /** The oldest stored block above genesis, 0 if all are stored; reading an older one throws BlockPrunedError. */
  readonly oldestBlock: number
  /** The finalized block at the last unwind, which stays finalized; 0 if there was none. */
  readonly finalizedBefore: number
  /** The chain up to the block on which the store begins, if another node has it (fork mode). */
  readonly below?: ChainBelow | undefined
  /** Adds an owner. A snapshot starts with one; each releases once, and the last release unpins it. */
  retain(): void
  release(): void
  header(number: number): Header | undefined
  block(number: number): Block | undefined
  receipts(number: number): readonly Receipt[] | undefined
  /** Whether a stored block has transactions of users, without decoding all of it. */
  hasUserTransactions(number: number): boolean
  blockNumber(hash: Hash): number | undefined
  /** Without decoding the block. */
  blockHash(number: number): Hash | undefined
  transactionLocation(hash: Hash): TransactionLocation | undefined
  /** Decodes no other transaction of the block; `undefined` if there is none at that location. */
  transactionAt(position: TransactionLocation): StoredTransaction | undefined
  /**
   * State after block `number`; `undefined` above this snapshot.
   *
   * @throws StatePrunedError when it is pruned
   */
  stateAt(number: number): StateReader | undefined
  /**
   * Matching logs of blocks `from` to `to`, inclusive, in chain order, found lazily.
   *
   * @param checkpoint called every few hundred steps, also without a match; an exception ends the search
   */
  logs(query: LogQuery, from: number, to: number, checkpoint?: () => void): Iterable<LogMatch>
  /** The first block from which on `holders` has all recipients of ERC-20 transfers; above the snapshot: none. */
  readonly holdersFrom: number
  /**
   * Accounts that have received units of a token up to this block, in the order of their addresses: a superset of its
   * holders. Block 0 has no transfers.
   *
   * @param range `from`: the lowest address
   */
  holders(token: Address, range: { readonly from: Address; readonly limit: number }): readonly TokenHolder[]
  /** The whole index of token holders in parts; one at least. */
  holderParts(pageSize: number): Iterable<HolderPart>
  /** State changes from outside between the parent of block `number` and the block; `undefined`: none, as usual. */
  prelude(number: number): StateDiff | undefined
  /** The whole state after block `number` of this snapshot, as diffs of about `partBytes` on an empty state. */
  stateParts(partBytes: number): Iterable<StateDiff>
  /** Nodes of the state tries after block `number` of this snapshot. */
  readonly trieNodes: TrieNodeSource
  /**
   * A diff from the state after block `number` to the one before it, from which tries of older blocks derive.
   * `undefined` for genesis and above this snapshot.
   *
   * @throws StatePrunedError when the state before it is pruned
   */
  reverseDiff(number: number): StateDiff | undefined
}
