import { describe, expect, it } from 'vitest'
import type { ChainConfig } from '../forks/chain-config.ts'
import { blobBaseFee, blobGasOf, maxBlobGasUsed } from './blob-fee.ts'

const CANCUN = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }

describe('blobBaseFee', () => {
  it.each([
    [0n, 1n],
    [2_314_057n, 1n],
    [2_314_058n, 2n],
    [10n * 1024n * 1024n, 23n],
  ])("equals the reference implementation's at an excess of %i", (excess, expected) => {
    // Values of EIP-4844's reference implementation.
    expect(blobBaseFee(excess, CANCUN)).toBe(expected)
  })
})

describe('blobGasOf', () => {
  it.each([
    ['no hashes', {}, 0],
    ['two hashes', { type: 3, blobVersionedHashes: ['0x01', '0x02'] }, 2 * 131_072],
  ])('counts a message with %s', (_, message, expected) => {
    expect(blobGasOf(message)).toBe(expected)
  })
})

describe('maxBlobGasUsed', () => {
  const layer2 = {} as NonNullable<ChainConfig['layer2']>

  it.each([
    ['the blobs of the schedule on layer 1', {}, CANCUN, 6n * 131_072n],
    ['0 before blobs', {}, undefined, 0n],
    ['the gas limit on layer 2', { layer2 }, CANCUN, 30_000_000n],
  ])('is %s', (_, config, schedule, expected) => {
    expect(maxBlobGasUsed(30_000_000n, config, schedule)).toBe(expected)
  })
})
