import type { Header } from '../chain/block/header.ts'
import type { Address, Bytes, Hash, Hex } from '../primitives/hex.ts'

/** A flashblock as a reader of a feed has it, ours or another's; no word about whether it is true. */
export interface Flashblock {
  /** 8 bytes; equal for all flashblocks of a block. */
  readonly payloadId: Hex
  /** Height of the block that it belongs to, as the metadata say. */
  readonly number: number
  readonly index: number
  /** In index 0, and only there. */
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
  /** All zero where a builder left it for later. */
  readonly stateRoot: Hash
  readonly receiptsRoot: Hash
  /** 256 bytes. */
  readonly logsBloom: Bytes
  readonly gasUsed: number
  /** Hash of the block so far; correct only if the state root is. */
  readonly blockHash: Hash
  /** EIP-2718 bytes of those that it adds; they are not looked into. */
  readonly transactions: readonly Bytes[]
  readonly withdrawalsRoot: Hash
  /** DA footprint (Jovian); older builders leave it out. */
  readonly blobGasUsed?: number
}
