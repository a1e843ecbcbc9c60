import { type Hash, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToHash, bigintToWord } from '../../primitives/quantity.ts'
import type { Block } from '../block/block.ts'
import { daFootprintGasScalarOf } from '../fees/l1-block.ts'
import { type L1Attributes, l1AttributesOf } from './l1-attributes.ts'

/** Prices of layer 1 in wei, and the SystemConfig of the operator (OP-stack specs: SystemConfig). */
export interface L1Settings
  extends Pick<
    L1Attributes,
    | 'baseFee'
    | 'blobBaseFee'
    | 'baseFeeScalar'
    | 'blobBaseFeeScalar'
    | 'operatorFeeScalar'
    | 'operatorFeeConstant'
    | 'daFootprintGasScalar'
  > {
  /** The attributes of the block on which the chain is forked, whose origin stays. Default: layer 1 is simulated. */
  readonly forked?: L1Attributes
}

/** A base fee of 1 gwei, and the scalars of Base's main network. */
export const DEFAULT_L1_SETTINGS: L1Settings = {
  baseFee: 1_000_000_000n,
  blobBaseFee: 1n,
  baseFeeScalar: 2_269n,
  blobBaseFeeScalar: 1_055_762n,
  operatorFeeScalar: 0n,
  operatorFeeConstant: 0n,
  daFootprintGasScalar: 148n,
}

/** Transactions pay for their gas only. */
export const NO_L1_FEES: L1Settings = {
  baseFee: 0n,
  blobBaseFee: 0n,
  baseFeeScalar: 0n,
  blobBaseFeeScalar: 0n,
  operatorFeeScalar: 0n,
  operatorFeeConstant: 0n,
  daFootprintGasScalar: 0n,
}

/** Address of the batcher, as a word. There is none. */
const NO_BATCHER: Hash = bigintToHash(0n)

/** Seconds between blocks of layer 1. */
const SLOT_SECONDS = 12n
/** Distinguishes the hashes of simulated blocks from others. */
const NAME = hexToBytes(keccakHash(new TextEncoder().encode('simulated layer 1')))

/** A block of layer 1 to which blocks of layer 2 belong. */
export type L1Origin = Pick<L1Attributes, 'number' | 'timestamp' | 'hash'>

/** Consecutive blocks of layer 2 have the same origin. */
let newestOrigin: L1Origin | undefined

/**
 * The newest block of a simulated layer 1 that has a block every 12 seconds since 1970. It follows from the time alone,
 * so that it needs no storage and survives restarts.
 *
 * @param timestamp Unix seconds
 */
export function simulatedL1Origin(timestamp: bigint): L1Origin {
  const number = timestamp / SLOT_SECONDS
  if (newestOrigin?.number === number) return newestOrigin
  const seed = new Uint8Array(64)
  seed.set(NAME)
  seed.set(bigintToWord(number), 32)
  newestOrigin = Object.freeze({ number, timestamp: number * SLOT_SECONDS, hash: keccakHash(seed) })
  return newestOrigin
}

/** Whether an origin is a block of the simulated layer 1. */
export function isSimulated({ hash, timestamp }: L1Origin): boolean {
  return simulatedL1Origin(timestamp).hash === hash
}

/**
 * The attributes of the block after `parent`.
 *
 * @param origin of that block
 * @param settings prices and SystemConfig
 */
export function nextL1Attributes(
  parent: Pick<Block, 'header' | 'transactions'>,
  { number, timestamp, hash }: L1Origin,
  { forked, ...settings }: L1Settings,
): L1Attributes {
  // Block 0 has no transactions, it is the first one of its origin; a fork block is stored without them.
  const first = forked ?? { ...simulatedL1Origin(parent.header.timestamp), sequenceNumber: 0n }
  const before = l1AttributesOf(parent) ?? first
  const sequenceNumber = before.hash === hash ? before.sequenceNumber + 1n : 0n
  const scalar = daFootprintGasScalarOf({ daFootprintGasScalar: Number(settings.daFootprintGasScalar) })
  return {
    ...settings,
    daFootprintGasScalar: BigInt(scalar),
    number,
    timestamp,
    hash,
    batcherHash: forked?.batcherHash ?? NO_BATCHER,
    sequenceNumber,
  }
}
