import { crc32 } from 'node:zlib'
import { type Hash, type Hex, hexToBytes } from '../../primitives/hex.ts'
import type { ChainConfig } from './chain-config.ts'

/** The times at which the rules of a chain change, in order: its forks, and on OP-stack chains its upgrades. */
export function activationTimes({ forkTimes, layer2 }: ChainConfig): readonly bigint[] {
  const times = new Set([...Object.values(forkTimes), ...Object.values(layer2?.upgradeTimes ?? {})])
  return [...times].sort((a, b) => (a < b ? -1 : 1))
}

/**
 * Fork identifier: a checksum over the genesis hash and all forks up to a time (EIP-2124, EIP-6122), upgrades of
 * the OP stack included. Forks active from block 0 do not count.
 *
 * @param time Unix seconds; forks by block number count as passed
 * @example forkHash(config, genesis, genesisTime, 540n) // '0xe272ecbe'
 */
export function forkHash(config: ChainConfig, genesis: Hash, genesisTime: bigint, time: bigint): Hex {
  const blocks = new Set(Object.values(config.forkBlocks).filter((block) => block > 0))
  const times = activationTimes(config).filter((at) => at > genesisTime && at <= time)
  const forks = [...[...blocks].sort((a, b) => a - b).map(BigInt), ...times]
  let checksum = crc32(hexToBytes(genesis))
  for (const fork of forks) {
    const word = Buffer.alloc(8)
    word.writeBigUInt64BE(fork)
    checksum = crc32(word, checksum)
  }
  return `0x${checksum.toString(16).padStart(8, '0')}`
}
