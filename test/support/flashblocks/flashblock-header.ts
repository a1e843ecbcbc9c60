import type { Header } from '../../../src/chain/block/header.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_UNCLES_HASH } from '../../../src/chain/constants.ts'
import { orderedRoot } from '../../../src/state/trie/ordered-root.ts'
import type { Flashblock } from './flashblock.ts'

const NO_NONCE = new Uint8Array(8)

/**
 * The header of a layer-2 block (from Isthmus on) after the last of these flashblocks. Its hash equals that
 * flashblock's `blockHash` if the builder is honest.
 *
 * @param flashblocks of one block, from index 0 without gaps; the cost is that of all their transactions
 * @returns undefined unless the first one has index 0
 * @example hashHeader(headerSoFar(flashblocks)!) === flashblocks.at(-1)!.diff.blockHash
 */
export function headerSoFar(flashblocks: readonly Flashblock[]): Header | undefined {
  const base = flashblocks[0]?.base
  const diff = flashblocks.at(-1)?.diff
  if (base === undefined || diff === undefined) return undefined
  return {
    ...base,
    sha3Uncles: EMPTY_UNCLES_HASH,
    stateRoot: diff.stateRoot,
    transactionsRoot: orderedRoot(flashblocks.flatMap(({ diff }) => diff.transactions)),
    receiptsRoot: diff.receiptsRoot,
    logsBloom: diff.logsBloom,
    difficulty: 0n,
    gasUsed: diff.gasUsed,
    nonce: NO_NONCE,
    withdrawalsRoot: diff.withdrawalsRoot,
    blobGasUsed: diff.blobGasUsed ?? 0,
    excessBlobGas: 0n,
    requestsHash: EMPTY_REQUESTS_HASH,
  }
}
