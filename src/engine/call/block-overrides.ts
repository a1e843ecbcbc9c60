import type { Withdrawal } from '../../chain/block/block.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { blobScheduleAt, forkAt } from '../../chain/forks/fork-schedule.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { BlockEnv } from '../types.ts'

/** Block overrides of a caller; an absent member keeps its value. */
export interface BlockOverrides {
  readonly number?: number
  /** Before the merge. */
  readonly difficulty?: bigint
  /** Unix seconds. */
  readonly time?: bigint
  readonly gasLimit?: bigint
  readonly feeRecipient?: Address
  readonly prevRandao?: Hash
  /** Wei per gas. */
  readonly baseFeePerGas?: bigint
  /** Wei per blob gas. */
  readonly blobBaseFee?: bigint
  /** EIP-4788, of a simulated block only. Default: zero, as in go-ethereum. */
  readonly beaconRoot?: Hash
  /** Credited at the end of a simulated block only. */
  readonly withdrawals?: readonly Withdrawal[]
}

/**
 * The environment with the overrides applied. A number or time beyond a fork activates its rules.
 *
 * @example overrideBlockEnv(blockEnv(header, config), { time: 1_900_000_000n }, config)
 */
export function overrideBlockEnv(env: BlockEnv, overrides: BlockOverrides, config: ChainConfig): BlockEnv {
  const number = overrides.number ?? env.number
  const timestamp = overrides.time ?? env.timestamp
  const fork = forkAt(config, number, timestamp)
  const blobSchedule = blobScheduleAt(config, fork)
  const layer2 = layer2RulesAt(config, timestamp)
  return {
    number,
    timestamp,
    gasLimit: overrides.gasLimit ?? env.gasLimit,
    coinbase: overrides.feeRecipient ?? env.coinbase,
    baseFee: overrides.baseFeePerGas ?? env.baseFee,
    difficulty: overrides.difficulty ?? env.difficulty,
    prevRandao: overrides.prevRandao ?? env.prevRandao,
    blobBaseFee: overrides.blobBaseFee ?? env.blobBaseFee,
    fork,
    ...(blobSchedule && { blobSchedule }),
    ...(layer2 && { layer2 }),
  }
}
