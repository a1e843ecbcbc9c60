import type { BlobSchedule, ChainConfig } from './chain-config.ts'
import { FORKS, type Fork } from './forks.ts'

/** Parameters that mainnet has where a configuration says nothing (EIP-4844, EIP-7691). */
const DEFAULT_BLOB_SCHEDULE: Readonly<Partial<Record<Fork, BlobSchedule>>> = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
}

/**
 * The fork whose rules hold in a block.
 *
 * @param timestamp Unix seconds
 * @example forkAt(config, parent.number + 1, timestamp)
 */
export function forkAt(config: ChainConfig, number: number, timestamp: bigint): Fork {
  for (let index = FORKS.length - 1; index > 0; index--) {
    const fork = FORKS[index]!
    const time = config.forkTimes[fork]
    if (time !== undefined && timestamp >= time) return fork
    const block = config.forkBlocks[fork]
    if (block !== undefined && number >= block) return fork
  }
  return 'frontier'
}

/** The blob parameters of a fork: its own or those of the newest fork before it; undefined before Cancun. */
export function blobScheduleAt(config: ChainConfig, fork: Fork): BlobSchedule | undefined {
  for (let index = FORKS.indexOf(fork); index >= 0; index--) {
    const candidate = FORKS[index]!
    const schedule = config.blobSchedule[candidate] ?? DEFAULT_BLOB_SCHEDULE[candidate]
    if (schedule) return schedule
  }
  return undefined
}
