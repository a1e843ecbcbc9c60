import { expect, test } from 'vitest'
import type { Hash } from '../../primitives/hex.ts'
import type { ChainConfig } from './chain-config.ts'
import { activationTimes, forkHash } from './fork-id.ts'

/** Mainnet, whose fork identifiers are listed in EIP-2124 and go-ethereum's tests. */
const MAINNET: ChainConfig = {
  chainId: 1n,
  forkBlocks: {
    homestead: 1_150_000,
    tangerineWhistle: 2_463_000,
    spuriousDragon: 2_675_000,
    byzantium: 4_370_000,
    constantinople: 7_280_000,
    petersburg: 7_280_000,
    istanbul: 9_069_000,
    muirGlacier: 9_200_000,
    berlin: 12_244_000,
    london: 12_965_000,
    arrowGlacier: 13_773_000,
    grayGlacier: 15_050_000,
  },
  forkTimes: { shanghai: 1_681_338_455n, cancun: 1_710_338_135n, prague: 1_746_612_311n },
  blobSchedule: {},
}
const GENESIS = '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3' as Hash
/** The DAO fork changes no rule of this program but counts for the checksum. */
const WITH_DAO: ChainConfig = { ...MAINNET, forkBlocks: { ...MAINNET.forkBlocks, frontier: 1_920_000 } }

test("computes the identifiers of mainnet's forks by time", () => {
  expect(forkHash(WITH_DAO, GENESIS, 0n, 0n)).toBe('0xf0afd0e3')
  expect(forkHash(WITH_DAO, GENESIS, 0n, 1_681_338_455n)).toBe('0xdce96c2d')
  expect(forkHash(WITH_DAO, GENESIS, 0n, 1_710_338_135n)).toBe('0x9f3d2254')
  expect(forkHash(WITH_DAO, GENESIS, 0n, 1_746_612_311n)).toBe('0xc376cf8b')
})

test('ignores forks active from block 0', () => {
  const config: ChainConfig = { chainId: 1n, forkBlocks: { london: 0 }, forkTimes: { prague: 0n }, blobSchedule: {} }
  expect(forkHash(config, GENESIS, 0n, 10n)).toBe('0xfc64ec04')
})

test('lists the times of forks and of upgrades once each, in order', () => {
  const layer2 = { eip1559Elasticity: 6, eip1559Denominator: 250, minBaseFee: 0n, daFootprintGasScalar: 0 }
  const forkTimes = { prague: 30n, shanghai: 10n }
  const config: ChainConfig = { chainId: 1n, forkBlocks: {}, forkTimes, blobSchedule: {}, layer2 }

  expect(activationTimes(config)).toEqual([10n, 30n])
  const upgradeTimes = { jovian: 40n, isthmus: 30n, fjord: 20n, canyon: 10n }
  expect(activationTimes({ ...config, layer2: { ...layer2, upgradeTimes } })).toEqual([10n, 20n, 30n, 40n])
})

test('counts a fork from its second on, in the order of times, and none that is active at genesis', () => {
  const forkTimes = { prague: 30n, shanghai: 10n, cancun: 20n }
  const config: ChainConfig = { chainId: 1n, forkBlocks: {}, forkTimes, blobSchedule: {} }
  const sorted: ChainConfig = { ...config, forkTimes: { shanghai: 10n, cancun: 20n, prague: 30n } }
  const hashAt = (time: bigint) => forkHash(config, GENESIS, 10n, time)

  expect(hashAt(19n)).toBe('0xfc64ec04')
  expect(new Set([hashAt(19n), hashAt(20n), hashAt(30n)]).size).toBe(3)
  expect(hashAt(29n)).toBe(hashAt(20n))
  expect(hashAt(30n)).toBe(forkHash(sorted, GENESIS, 10n, 30n))
})
