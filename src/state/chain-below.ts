import type { Block } from '../chain/block/block.ts'
import type { Header } from '../chain/block/header.ts'
import type { LogMatch, LogQuery } from '../chain/receipt/log-query.ts'
import type { Receipt } from '../chain/receipt/receipt.ts'
import type { Hash } from '../primitives/hex.ts'
import type { StateReader } from './state-reader.ts'
import type { TrieNodeSource } from './trie-node-source.ts'

/**
 * The chain up to the block on which a store begins, when another node has it (fork mode). Synchronous: what was not
 * loaded yet throws a MissingStateError, and the same read succeeds after its `load`.
 */
export interface ChainBelow {
  /** Height of the fork block, the parent of the first own block. */
  readonly number: number
  /** State after the fork block. */
  readonly state: StateReader
  /** Nodes of its tries, as far as proofs showed them; `undefined`: the other node gives no proofs. */
  readonly trieNodes: TrieNodeSource | undefined
  /** `undefined` below 0. */
  block(number: number): Block | undefined
  receipts(number: number): readonly Receipt[]
  header(number: number): Header | undefined
  blockHash(number: number): Hash | undefined
  /** `undefined` for a hash that no block up to the fork block has. */
  blockNumber(hash: Hash): number | undefined
  transactionLocation(hash: Hash): { readonly blockNumber: number; readonly index: number } | undefined
  /**
   * Matching logs of blocks `from` to `to`, inclusive, in order.
   *
   * @param isBrief whether to give up after one attempt of a few seconds. Default: with retries, and in parts where
   * the other node finds the range too large.
   */
  logs(query: LogQuery, from: number, to: number, isBrief?: boolean): readonly LogMatch[]
  /** State after a block below the fork block. */
  stateAt(number: number): StateReader | undefined
  /** Throws one MissingStateError for all blocks of the range that are not loaded. */
  requireBlocks(from: number, to: number): void
  /** The same for headers alone. */
  requireHeaders(from: number, to: number): void
}
