import type { ChainConfig } from './chain-config.ts'
import { type BlobSchedule, FORKS, type Fork, forkDefinition } from './forks.ts'

/**
 * The fork that is active in a block.
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

/** The blob parameters of a fork: its own or those of the last fork before it; undefined before Cancun. */
export function blobScheduleAt(config: ChainConfig, fork: Fork): BlobSchedule | undefined {
  for (let index = forkDefinition(fork).ordinal; index >= 0; index--) {
    const candidate = FORKS[index]!
    const schedule = config.blobSchedule[candidate] ?? forkDefinition(candidate).blobSchedule
    if (schedule) return schedule
  }
  return undefined
}
