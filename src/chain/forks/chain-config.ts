import type { Address } from '../../primitives/hex.ts'
import type { BlobSchedule, Fork } from './forks.ts'
import type { UpgradeTimes } from './upgrades.ts'

/** Parameters of an OP-stack chain (Isthmus, Jovian). Absent from the configuration of a layer-1 chain. */
export interface Layer2Config {
  readonly eip1559Elasticity: number
  readonly eip1559Denominator: number
  /** Minimum base fee in wei per gas (Jovian). */
  readonly minBaseFee: bigint
  /** DA footprint in gas per compressed byte (Jovian); 0 disables it. With `upgradeTimes`, L1Block has the scalar. */
  readonly daFootprintGasScalar: number
  /**
   * Activation of the OP-stack upgrades; `forkTimes` must schedule the Ethereum forks that they include
   * (`forkTimesOf`). Absent: the rules of Jovian without fees for layer 1 (`layer2-rules.ts`).
   */
  readonly upgradeTimes?: UpgradeTimes
  /** Schedule of a chain that activates Denim. Absent on other chains. */
  readonly denim?: DenimSchedule
  /**
   * Whether blob transactions exist, as on the layer 1 for which a development chain stands: `blobGasUsed` is their
   * gas, and there is no DA footprint.
   */
  readonly hasBlobs?: boolean
  /** Recipient of base fees; absent: they are burnt, as on layer 1. */
  readonly baseFeeRecipient?: Address
}

/** Determines the time of each block. Times in Unix seconds. */
export interface DenimSchedule {
  readonly genesisNumber: bigint
  readonly genesisTime: bigint
  /** Activation of Denim. */
  readonly denimTime: bigint
  /**
   * Whether the times of Denim blocks are chosen, at least 200 ms after those of their parents, as on a fork. Default:
   * they follow from the numbers.
   */
  readonly isFree?: boolean
}

export interface ChainConfig {
  readonly chainId: bigint
  /** Activation of each fork: its first block or, from Shanghai on, its first second. */
  readonly forkBlocks: Readonly<Partial<Record<Fork, number>>>
  readonly forkTimes: Readonly<Partial<Record<Fork, bigint>>>
  /** Layer 1: total difficulty at which proof of work ends. */
  readonly terminalTotalDifficulty?: bigint
  readonly blobSchedule: Readonly<Partial<Record<Fork, BlobSchedule>>>
  readonly depositContractAddress?: Address
  readonly layer2?: Layer2Config
  /** Maximum gas limit of a transaction (EIP-7825). Default: that of the block. */
  readonly transactionGasCap?: bigint
  /** Maximum size of code, in bytes; initcode may be twice as large (EIP-3860). Default: that of EIP-170. */
  readonly codeSizeLimit?: number
}

/** Whether blob transactions exist, from Cancun on: on layer 1, and on development chains that stand for one. */
export function hasBlobs({ layer2 }: Pick<ChainConfig, 'layer2'>): boolean {
  return layer2 === undefined || layer2.hasBlobs === true
}
