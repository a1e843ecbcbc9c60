import { blobBaseFee } from '../chain/blob-fee.ts'
import type { ChainConfig } from '../chain/chain-config.ts'
import { blobScheduleAt, forkAt } from '../chain/fork-schedule.ts'
import type { Header } from '../chain/header.ts'
import type { BlockEnv } from './types.ts'

/** The environment that code of this block runs in, for the block's own transactions and for calls upon it. */
export function blockEnv(header: Header, config: ChainConfig): BlockEnv {
  const fork = forkAt(config, header.number, header.timestamp)
  const blobSchedule = blobScheduleAt(config, fork)
  return {
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    coinbase: header.miner,
    baseFee: header.baseFeePerGas ?? 0n,
    difficulty: header.difficulty,
    prevRandao: header.mixHash,
    blobBaseFee:
      header.excessBlobGas === undefined || blobSchedule === undefined
        ? 0n
        : blobBaseFee(header.excessBlobGas, blobSchedule),
    fork,
    ...(blobSchedule && { blobSchedule }),
  }
}
