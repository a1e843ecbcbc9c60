import type { LogQuery } from '../../chain/receipt/log-query.ts'
import type { PlacedLog } from '../../node/log/record-history.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { ChainPoint } from '../tokenized-stocks/chain-source.ts'

/** A sealed block with some of its logs. */
export interface LoggedBlock extends ChainPoint {
  readonly parentHash: Hash
  /** Unix seconds. */
  readonly timestamp: bigint
  /** In the order of the block. */
  readonly logs: readonly PlacedLog[]
}

/** Sealed blocks of another node. */
export interface SealedBlocks {
  /** Hash of a block; `undefined` if there is none. @throws StatusError when the node cannot be read */
  hashOf(number: number): Promise<Hash | undefined>
  /**
   * Consecutive blocks with the logs that match any of the queries.
   *
   * @param range inclusive
   * @returns `undefined` when they were replaced meanwhile
   * @throws ReadRefused when the node refuses to search these blocks, or finds too many logs in them
   * @throws StatusError when the node cannot be read
   */
  read(
    range: { readonly from: number; readonly to: number },
    queries: readonly LogQuery[],
  ): Promise<readonly LoggedBlock[] | undefined>
}
