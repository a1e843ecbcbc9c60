import type { Address } from '../../primitives/hex.ts'
import type { BlobSchedule, Fork } from './forks.ts'

/** Parameters of an OP-stack chain (Isthmus, Jovian). Absent from the configuration of a layer-1 chain. */
export interface Layer2Config {
  readonly eip1559Elasticity: number
  readonly eip1559Denominator: number
  /** Wei per gas, the floor of the base fee (Jovian). */
  readonly minBaseFee: bigint
  /** DA footprint per compressed byte (Jovian); 0 switches it off. */
  readonly daFootprintGasScalar: number
  /** Who receives base fees; they are not burnt. */
  readonly baseFeeRecipient: Address
}

export interface ChainConfig {
  readonly chainId: bigint
  /** First block or, from Shanghai on, first second at which each fork holds. */
  readonly forkBlocks: Readonly<Partial<Record<Fork, number>>>
  readonly forkTimes: Readonly<Partial<Record<Fork, bigint>>>
  /** Layer 1: the proof-of-work chain ends when its total difficulty reaches this. */
  readonly terminalTotalDifficulty?: bigint
  readonly blobSchedule: Readonly<Partial<Record<Fork, BlobSchedule>>>
  readonly depositContractAddress?: Address
  readonly layer2?: Layer2Config
  /** Gas that one transaction may ask for at most (EIP-7825); absent: the block's limit. */
  readonly transactionGasCap?: bigint
}
