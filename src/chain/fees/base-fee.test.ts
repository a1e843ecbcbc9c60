import { describe, expect, it } from 'vitest'
import { ZERO_ADDRESS, ZERO_HASH } from '../../primitives/hex.ts'
import { encodeExtraData } from '../block/extra-data.ts'
import type { Header } from '../block/header.ts'
import { BASE_FEE_VAULT_ADDRESS, EMPTY_UNCLES_HASH } from '../constants.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { nextBaseFee } from './base-fee.ts'

const LAYER1: ChainConfig = { chainId: 1n, forkBlocks: { london: 5 }, forkTimes: {}, blobSchedule: {} }
const LAYER2: ChainConfig = {
  chainId: 31_337n,
  forkBlocks: { london: 0, paris: 0 },
  forkTimes: { shanghai: 0n, cancun: 0n, prague: 0n },
  blobSchedule: {},
  layer2: {
    eip1559Elasticity: 5,
    eip1559Denominator: 100,
    minBaseFee: 5_000_000n,
    daFootprintGasScalar: 0,
    baseFeeRecipient: BASE_FEE_VAULT_ADDRESS,
  },
}

function parent(members: Partial<Header>): Header {
  return {
    parentHash: ZERO_HASH,
    sha3Uncles: EMPTY_UNCLES_HASH,
    miner: ZERO_ADDRESS,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number: 10,
    gasLimit: 30_000_000n,
    gasUsed: 0,
    timestamp: 0n,
    extraData: new Uint8Array(0),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeePerGas: 1_000_000_000n,
    ...members,
  }
}

describe('nextBaseFee on layer 1', () => {
  it.each([
    ['at the target', 15_000_000, 1_000_000_000n, 1_000_000_000n],
    ['full', 30_000_000, 1_000_000_000n, 1_125_000_000n],
    ['empty', 0, 1_000_000_000n, 875_000_000n],
    ['just above the target, at least 1 more', 15_000_001, 7n, 8n],
    ['empty at 7 wei', 0, 7n, 7n],
    ['from 0', 30_000_000, 0n, 1n],
  ])("follows EIP-1559 with the parent's parameters after a block %s", (_, gasUsed, baseFeePerGas, expected) => {
    expect(nextBaseFee(parent({ gasUsed, baseFeePerGas }), LAYER1)).toBe(expected)
  })

  it('starts with London', () => {
    const { baseFeePerGas: _, ...legacy } = parent({})
    expect(nextBaseFee({ ...legacy, number: 3 }, LAYER1)).toBe(0n)
    expect(nextBaseFee({ ...legacy, number: 4 }, LAYER1)).toBe(1_000_000_000n)
  })
})

describe('nextBaseFee on layer 2', () => {
  const jovian = encodeExtraData({ denominator: 100, elasticity: 5, minBaseFee: 5_000_000n })
  const block = { gasLimit: 400_000_000n, extraData: jovian, baseFeePerGas: 10_000_000n, blobGasUsed: 0 }

  it.each([
    ['full: 4 % more', { gasUsed: 400_000_000 }, 10_400_000n],
    ['at the target', { gasUsed: 80_000_000 }, 10_000_000n],
    ['empty: 1 % less', {}, 9_900_000n],
    ['with a larger DA footprint than gas', { gasUsed: 1, blobGasUsed: 400_000_000 }, 10_400_000n],
    ['with a smaller DA footprint than gas', { gasUsed: 400_000_000, blobGasUsed: 1 }, 10_400_000n],
    ['empty at the floor', { baseFeePerGas: 5_000_000n }, 5_000_000n],
    ['below a floor that was raised', { baseFeePerGas: 1n }, 5_000_000n],
  ])('follows EIP-1559 after a block %s', (_, members, expected) => {
    expect(nextBaseFee(parent({ ...block, ...members }), LAYER2)).toBe(expected)
  })

  it('takes the parameters from the parent, not from the configuration', () => {
    const extraData = encodeExtraData({ denominator: 8, elasticity: 2, minBaseFee: 1n })
    expect(nextBaseFee(parent({ ...block, extraData }), LAYER2)).toBe(8_750_000n)
    const holocene = encodeExtraData({ denominator: 8, elasticity: 2 })
    expect(nextBaseFee(parent({ ...block, extraData: holocene, baseFeePerGas: 8n }), LAYER2)).toBe(7n)
  })

  it('takes the parameters from the configuration when the parent has none', () => {
    expect(nextBaseFee(parent({ ...block, extraData: new Uint8Array(0) }), LAYER2)).toBe(9_900_000n)
    expect(nextBaseFee(parent({ ...block, extraData: new Uint8Array(0), baseFeePerGas: 1n }), LAYER2)).toBe(5_000_000n)
  })

  it.each([
    ['full', 5_000_000n, { gasUsed: 40_000_000 }, 5_020_000n],
    ['at the target', 5_000_000n, { gasUsed: 8_000_000 }, 5_000_000n],
    ['empty at the floor', 5_000_000n, {}, 5_000_000n],
    ['with a larger DA footprint than gas', 10_000_000n, { gasUsed: 2_000_000, blobGasUsed: 30_000_000 }, 10_027_500n],
    ['empty', 10_000_000n, {}, 9_990_000n],
  ])(
    'changes by a tenth as much with the gas limit and denominator of Denim after a block %s',
    (_, baseFeePerGas, members, expected) => {
      const extraData = encodeExtraData({ denominator: 1_000, elasticity: 5, minBaseFee: 5_000_000n })
      const header = parent({ gasLimit: 40_000_000n, extraData, baseFeePerGas, blobGasUsed: 0, ...members })
      expect(nextBaseFee(header, LAYER2)).toBe(expected)
    },
  )
  it('rises by 4 % after a full block of 2 s, and by 4.07 % after ten full blocks of 200 ms', () => {
    const slow = encodeExtraData({ denominator: 100, elasticity: 5, minBaseFee: 5_000_000n })
    const fast = encodeExtraData({ denominator: 1_000, elasticity: 5, minBaseFee: 5_000_000n })
    const full = { gasUsed: 400_000_000, gasLimit: 400_000_000n, extraData: slow, blobGasUsed: 0 }
    const tenth = { gasUsed: 40_000_000, gasLimit: 40_000_000n, extraData: fast, blobGasUsed: 0 }
    expect(nextBaseFee(parent({ ...full, baseFeePerGas: 10_000_000n }), LAYER2)).toBe(10_400_000n)
    let baseFeePerGas = 10_000_000n
    for (let count = 0; count < 10; count++) baseFeePerGas = nextBaseFee(parent({ ...tenth, baseFeePerGas }), LAYER2)
    expect(Number(baseFeePerGas) / 1e7).toBeCloseTo(1.0407, 4)
  })

  it('stays after a block whose gas limit is below the elasticity', () => {
    expect(nextBaseFee(parent({ gasLimit: 4n, gasUsed: 4, baseFeePerGas: 10_000_000n, blobGasUsed: 0 }), LAYER2)).toBe(
      10_000_000n,
    )
  })
})
