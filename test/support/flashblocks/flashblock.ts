import type { Header } from '../../../src/chain/block/header.ts'
import type { Address, Bytes, Hash, Hex } from '../../../src/primitives/hex.ts'

/** A decoded flashblock of any feed, unverified. */
export interface Flashblock {
  /** 8 bytes; equal for all flashblocks of a block. */
  readonly payloadId: Hex
  /** Height of its block, from the metadata. */
  readonly number: number
  readonly index: number
  /** Only in index 0. */
  readonly base?: FlashblockBase
  readonly diff: FlashblockDiff
}

/** Fields of the flashblock that opens a block. */
export type FlashblockBase = Readonly<
  Pick<Header, 'parentHash' | 'mixHash' | 'number' | 'gasLimit' | 'timestamp' | 'extraData'>
> & {
  readonly miner: Address
  readonly parentBeaconBlockRoot: Hash
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
}

/** New transactions, and running values of the block so far. */
export interface FlashblockDiff {
  /** All zero if the builder has not computed it yet. */
  readonly stateRoot: Hash
  readonly receiptsRoot: Hash
  /** 256 bytes. */
  readonly logsBloom: Bytes
  readonly gasUsed: number
  /** Hash of the block so far; correct only if the state root is. */
  readonly blockHash: Hash
  /** EIP-2718 bytes of the new transactions, not decoded. */
  readonly transactions: readonly Bytes[]
  readonly withdrawalsRoot: Hash
  /** DA footprint (Jovian); absent from older builders. */
  readonly blobGasUsed?: number
}
