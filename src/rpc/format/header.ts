import { blockSize } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import type { BlockView } from '../../node/view/view.ts'
import { bytesToHex, type Hash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Json, JsonRecord } from '../protocol/json.ts'
import { withForeign } from './foreign-members.ts'

/**
 * Header members of a block object; those that its fork lacks are omitted.
 *
 * @param milliseconds Unix time of a Denim block
 */
export function formatHeader(header: Header, hash: Hash, milliseconds?: bigint): JsonRecord {
  return withForeign(
    {
      number: toQuantity(header.number),
      hash,
      parentHash: header.parentHash,
      nonce: bytesToHex(header.nonce),
      sha3Uncles: header.sha3Uncles,
      logsBloom: bytesToHex(header.logsBloom),
      transactionsRoot: header.transactionsRoot,
      stateRoot: header.stateRoot,
      receiptsRoot: header.receiptsRoot,
      miner: header.miner,
      difficulty: toQuantity(header.difficulty),
      mixHash: header.mixHash,
      extraData: bytesToHex(header.extraData),
      gasLimit: toQuantity(header.gasLimit),
      gasUsed: toQuantity(header.gasUsed),
      timestamp: toQuantity(header.timestamp),
      timestampMs: optionalQuantity(milliseconds),
      baseFeePerGas: optionalQuantity(header.baseFeePerGas),
      withdrawalsRoot: header.withdrawalsRoot,
      blobGasUsed: optionalQuantity(header.blobGasUsed),
      excessBlobGas: optionalQuantity(header.excessBlobGas),
      parentBeaconBlockRoot: header.parentBeaconBlockRoot,
      requestsHash: header.requestsHash,
    },
    header.foreign,
  )
}

function optionalQuantity(value: bigint | number | undefined): string | undefined {
  return value === undefined ? undefined : toQuantity(value)
}

/** The uncle at a position of a block, without content; `null` for an unknown block or position. */
export function formatUncleAt(view: BlockView | undefined, index: number): Json {
  const header = view?.block.uncles[index]
  if (header === undefined) return null
  const size = blockSize({ header, transactions: [], uncles: [] })
  return { ...formatHeader(header, hashHeader(header)), size: toQuantity(size), uncles: [] }
}
