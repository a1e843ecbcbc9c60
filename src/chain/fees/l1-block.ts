import type { Slot } from '../../primitives/hex.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import type { Layer2Rules } from '../forks/layer2-rules.ts'
import { hasBlobPricedParameters, type L1FeeParameters } from './l1-fee.ts'
import type { OperatorFeeParameters } from './operator-fee.ts'

/** Fee parameters in the storage of the L1Block contract. */
export interface L1BlockFees extends L1FeeParameters, OperatorFeeParameters {
  /** Gas for each estimated byte; 0 before Jovian. */
  readonly daFootprintGasScalar: number
}

/** The DA footprint scalar that a SystemConfig value of 0 stands for (OP-stack specs: Jovian, SystemConfig). */
const DEFAULT_DA_FOOTPRINT_GAS_SCALAR = 400

const BASE_FEE = bigintToSlot(1n)
/** Sequence number (64 bits), blob base fee scalar (32), base fee scalar (32); lowest bits first. */
const SCALARS = bigintToSlot(3n)
const OVERHEAD = bigintToSlot(5n)
const SCALAR = bigintToSlot(6n)
const BLOB_BASE_FEE = bigintToSlot(7n)
/** Constant (64 bits) and scalar (32) of the operator fee, scalar of the DA footprint (16); lowest bits first. */
const OPERATOR = bigintToSlot(8n)

type L1BlockRules = Pick<Layer2Rules, 'hasBlobPricedL1Fee' | 'hasOperatorFee'>

/**
 * Reads the fee parameters of a block from L1Block, after its first transaction has set them. Reads only the slots that
 * the rules need: a block witness has no others.
 *
 * @param storage reads a slot of `L1_BLOCK_ADDRESS`
 */
export function readL1BlockFees(storage: (slot: Slot) => bigint, rules: L1BlockRules): L1BlockFees {
  const scalars = rules.hasBlobPricedL1Fee ? storage(SCALARS) : 0n
  const l1BlobBaseFee = rules.hasBlobPricedL1Fee ? storage(BLOB_BASE_FEE) : 0n
  const operator = rules.hasOperatorFee ? storage(OPERATOR) : 0n
  const baseFeeScalar = bits(scalars, 96n, 32)
  const blobBaseFeeScalar = bits(scalars, 64n, 32)
  const hasBlobPrices = hasBlobPricedParameters({ l1BlobBaseFee, baseFeeScalar, blobBaseFeeScalar })
  return {
    l1BaseFee: storage(BASE_FEE),
    l1BlobBaseFee,
    baseFeeScalar,
    blobBaseFeeScalar,
    overhead: hasBlobPrices ? 0n : storage(OVERHEAD),
    scalar: hasBlobPrices ? 0n : storage(SCALAR),
    operatorFeeConstant: bits(operator, 0n, 64),
    operatorFeeScalar: bits(operator, 64n, 32),
    daFootprintGasScalar: Number(bits(operator, 96n, 16)),
  }
}

/** The scalar of the DA footprint in a block: that of L1Block, or the default. */
export function daFootprintGasScalarOf({ daFootprintGasScalar }: Pick<L1BlockFees, 'daFootprintGasScalar'>): number {
  return daFootprintGasScalar === 0 ? DEFAULT_DA_FOOTPRINT_GAS_SCALAR : daFootprintGasScalar
}

function bits(word: bigint, offset: bigint, count: number): bigint {
  return BigInt.asUintN(count, word >> offset)
}
