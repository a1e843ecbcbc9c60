import type { Header } from '../block/header.ts'
import { GAS_PER_BLOB } from '../constants.ts'
import { type ChainConfig, hasBlobs } from '../forks/chain-config.ts'
import { blobScheduleAt } from '../forks/fork-schedule.ts'
import type { BlobSchedule, Fork } from '../forks/forks.ts'
import { rulesOf } from '../forks/rules.ts'

const MIN_BLOB_BASE_FEE = 1n
/** Execution gas per blob in the reserve price (EIP-7918). */
const BLOB_BASE_COST = 8_192n

/**
 * `excessBlobGas` of the block after `parent`, of fork `fork`, from Cancun on (EIP-4844, EIP-7918).
 *
 * @returns always 0 on a layer 2 without blobs, where `blobGasUsed` is the DA footprint
 */
export function nextExcessBlobGas(
  parent: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
  config: ChainConfig,
  fork: Fork,
): bigint {
  const schedule = blobScheduleAt(config, fork)
  if (!hasBlobs(config) || !schedule) return 0n
  const excess = parent.excessBlobGas ?? 0n
  const used = BigInt(parent.blobGasUsed ?? 0)
  const target = BigInt(schedule.target * GAS_PER_BLOB)
  if (excess + used < target) return 0n
  if (rulesOf(fork).hasBlobReservePrice && isBelowReserve(excess, parent.baseFeePerGas ?? 0n, schedule)) {
    return excess + (used * BigInt(schedule.max - schedule.target)) / BigInt(schedule.max)
  }
  return excess + used - target
}

/** Blob gas of a transaction or a call (EIP-4844). */
export function blobGasOf(message: {
  readonly type?: number
  readonly blobVersionedHashes?: readonly unknown[] | undefined
}): number {
  return (message.blobVersionedHashes?.length ?? 0) * GAS_PER_BLOB
}

/**
 * The most that `blobGasUsed` of a block can be: its blobs have their own limit (EIP-4844); without blobs it is the DA
 * footprint, which counts like gas (OP-stack specs: Jovian).
 */
export function maxBlobGasUsed(
  gasLimit: bigint,
  config: Pick<ChainConfig, 'layer2'>,
  schedule: BlobSchedule | undefined,
): bigint {
  return hasBlobs(config) ? BigInt((schedule?.max ?? 0) * GAS_PER_BLOB) : gasLimit
}

/**
 * Blob base fee in wei per blob gas (EIP-4844, with the update fraction of EIP-7840).
 *
 * @example blobBaseFee(header.excessBlobGas, schedule)
 */
export function blobBaseFee(excessBlobGas: bigint, schedule: BlobSchedule): bigint {
  return fakeExponential(MIN_BLOB_BASE_FEE, excessBlobGas, schedule.baseFeeUpdateFraction)
}

function isBelowReserve(excess: bigint, baseFee: bigint, schedule: BlobSchedule): boolean {
  return BLOB_BASE_COST * baseFee > BigInt(GAS_PER_BLOB) * blobBaseFee(excess, schedule)
}

/** factor * e^(numerator / denominator) by its Taylor series in integers, as EIP-4844 defines it. */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n
  let term = factor * denominator
  for (let n = 1n; term > 0n; n++) {
    sum += term
    term = (term * numerator) / (denominator * n)
  }
  return sum / denominator
}
