import { bytesToBigint } from '../../primitives/quantity.ts'
import type { Block } from '../block/block.ts'
import { setsL1Attributes } from './l1-attributes.ts'

/** Values of layer 1 that determine the fees for data before Ecotone, and in its first block. */
export interface BedrockAttributes {
  /** Wei per gas. */
  readonly baseFee: bigint
  /** Layer-1 gas for each transaction. */
  readonly overhead: bigint
  /** Millionths. */
  readonly scalar: bigint
}

/**
 * `setL1BlockValues(uint64,uint64,uint256,bytes32,uint64,bytes32,uint256,uint256)`, ABI encoded (OP-stack specs: L1
 * attributes).
 */
const SELECTOR = 0x015d8eb9n
const DATA_BYTES = 4 + 8 * 32
const [BASE_FEE, OVERHEAD, SCALAR] = [2, 6, 7]

/** The values in the first transaction of a block; undefined for a block with a later layout. */
export function bedrockAttributesOf({ transactions }: Pick<Block, 'transactions'>): BedrockAttributes | undefined {
  const [first] = transactions
  if (!setsL1Attributes(first) || first.data.length !== DATA_BYTES) return undefined
  const { data } = first
  if (bytesToBigint(data.subarray(0, 4)) !== SELECTOR) return undefined
  const word = (index: number) => bytesToBigint(data.subarray(4 + 32 * index, 36 + 32 * index))
  return { baseFee: word(BASE_FEE), overhead: word(OVERHEAD), scalar: word(SCALAR) }
}
