import type { Bytes } from '../../primitives/hex.ts'
import type { Layer2Rules } from '../forks/layer2-rules.ts'
import { DEPOSIT_TYPE } from '../transaction/transaction.ts'
import { estimatedSizeScaled } from './data-footprint.ts'

/** Parameters of the L1 fee: prices of layer 1 in wei, and scalars of the operator. */
export interface L1FeeParameters {
  readonly l1BaseFee: bigint
  /** Ecotone */
  readonly l1BlobBaseFee: bigint
  readonly baseFeeScalar: bigint
  readonly blobBaseFeeScalar: bigint
  /** Before Ecotone: gas for each transaction. */
  readonly overhead: bigint
  /** Before Ecotone, in millionths. */
  readonly scalar: bigint
}

export interface L1Fee {
  /** Wei. */
  readonly fee: bigint
  /** Layer-1 gas that the fee pays for; `l1GasUsed` of a receipt. */
  readonly gasUsed: bigint
}

type L1FeeRules = Pick<Layer2Rules, 'upgrade' | 'hasBlobPricedL1Fee' | 'hasCompressedL1Fee'>

const NOTHING: L1Fee = { fee: 0n, gasUsed: 0n }
const MILLION = 1_000_000n
/** Gas of a non-zero byte of calldata (EIP-2028). */
const BYTE_GAS = 16n
/** Bedrock counted a signature for unsigned bytes, on signed ones too. */
const BEDROCK_SIGNATURE_BYTES = 68n

/**
 * Fee for the data of a transaction on layer 1 (OP-stack specs: execution engine, "L1-Cost fees"). Deposits pay none.
 *
 * @param raw the signed EIP-2718 bytes
 */
export function l1Fee(raw: Bytes, parameters: L1FeeParameters, rules: L1FeeRules): L1Fee {
  if (raw.length === 0 || raw[0] === DEPOSIT_TYPE) return NOTHING
  const { l1BaseFee, overhead, scalar } = parameters
  const gas = l1DataGas(raw, rules)
  if (!rules.hasBlobPricedL1Fee || !hasBlobPricedParameters(parameters)) {
    const gasUsed = (rules.hasBlobPricedL1Fee ? calldataGas(raw) : gas) + overhead
    return { fee: (gasUsed * l1BaseFee * scalar) / MILLION, gasUsed }
  }
  if (rules.hasCompressedL1Fee) return compressedL1Fee(estimatedSizeScaled(raw), parameters)
  return { fee: (gas * weightedPrice(parameters)) / (BYTE_GAS * MILLION), gasUsed: gas }
}

/**
 * The fee since Fjord.
 *
 * @param scaledSize of `estimatedSizeScaled`, in millionths of a byte
 */
export function compressedL1Fee(scaledSize: number, parameters: L1FeeParameters): L1Fee {
  const size = BigInt(scaledSize)
  return { fee: (size * weightedPrice(parameters)) / (MILLION * MILLION), gasUsed: (size * BYTE_GAS) / MILLION }
}

/** Layer-1 gas for the data, without the overhead of the time before Ecotone. */
export function l1DataGas(raw: Bytes, { upgrade, hasCompressedL1Fee }: L1FeeRules): bigint {
  if (hasCompressedL1Fee) return (BigInt(estimatedSizeScaled(raw)) * BYTE_GAS) / MILLION
  return calldataGas(raw) + (upgrade === 'bedrock' ? BEDROCK_SIGNATURE_BYTES * BYTE_GAS : 0n)
}

/** Whether the parameters are those of Ecotone: its first block still has the ones of the upgrade before. */
export function hasBlobPricedParameters({
  l1BlobBaseFee,
  baseFeeScalar,
  blobBaseFeeScalar,
}: Pick<L1FeeParameters, 'l1BlobBaseFee' | 'baseFeeScalar' | 'blobBaseFeeScalar'>): boolean {
  return l1BlobBaseFee !== 0n || baseFeeScalar !== 0n || blobBaseFeeScalar !== 0n
}

/** Price of 16 gas of calldata and of a byte of blobs, in millionths of a wei. */
function weightedPrice({ l1BaseFee, l1BlobBaseFee, baseFeeScalar, blobBaseFeeScalar }: L1FeeParameters): bigint {
  return BYTE_GAS * l1BaseFee * baseFeeScalar + l1BlobBaseFee * blobBaseFeeScalar
}

/** EIP-2028: 4 gas for a zero byte, 16 for another. */
function calldataGas(raw: Bytes): bigint {
  let zeros = 0
  for (const byte of raw) if (byte === 0) zeros += 1
  return BigInt(zeros * 4 + (raw.length - zeros) * 16)
}
