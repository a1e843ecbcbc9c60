import { crc32 } from 'node:zlib'
import { type Hash, type Hex, hexToBytes } from '../../primitives/hex.ts'
import type { ChainConfig } from './chain-config.ts'

/**
 * Fork identifier: a checksum over the genesis hash and all forks up to a time (EIP-2124, EIP-6122). Forks active from
 * block 0 do not count.
 *
 * @param time Unix seconds; forks by block number count as passed
 * @example forkHash(config, genesis, genesisTime, 540n) // '0xe272ecbe'
 */
export function forkHash(config: ChainConfig, genesis: Hash, genesisTime: bigint, time: bigint): Hex {
  const blocks = new Set(Object.values(config.forkBlocks).filter((block) => block > 0))
  const times = new Set(Object.values(config.forkTimes).filter((at) => at > genesisTime && at <= time))
  const forks = [...[...blocks].sort((a, b) => a - b).map(BigInt), ...[...times].sort((a, b) => (a < b ? -1 : 1))]
  let checksum = crc32(hexToBytes(genesis))
  for (const fork of forks) {
    const word = Buffer.alloc(8)
    word.writeBigUInt64BE(fork)
    checksum = crc32(word, checksum)
  }
  return `0x${checksum.toString(16).padStart(8, '0')}`
}
