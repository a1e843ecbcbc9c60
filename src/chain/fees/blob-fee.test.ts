import { describe, expect, it } from 'vitest'
import { LAYER_2 } from '../../../test/support/engine-fixture.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { blobBaseFee, blobGasOf, maxBlobGasUsed, nextExcessBlobGas } from './blob-fee.ts'

const CANCUN = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }

describe('blobBaseFee', () => {
  // The values of EIP-4844's reference implementation.
  it.each([
    [0n, 1n],
    [2_314_057n, 1n],
    [2_314_058n, 2n],
    [10n * 1024n * 1024n, 23n],
  ])('at an excess of %i is %i wei, as in EIP-4844', (excess, expected) => {
    expect(blobBaseFee(excess, CANCUN)).toBe(expected)
  })
})

describe('nextExcessBlobGas', () => {
  const parent = { excessBlobGas: 0n, blobGasUsed: 6 * 131_072, baseFeePerGas: 1n }
  const config: ChainConfig = { chainId: 1n, forkBlocks: {}, forkTimes: {}, blobSchedule: { cancun: CANCUN } }

  it('a block of layer 1 has what its parent used above the target', () => {
    expect(nextExcessBlobGas(parent, config, 'cancun')).toBe(3n * 131_072n)
  })

  it('a block of layer 2 has 0, because blobGasUsed is the DA footprint there', () => {
    expect(nextExcessBlobGas(parent, { ...config, layer2: LAYER_2.layer2! }, 'cancun')).toBe(0n)
  })

  it('is 0 before blobs', () => {
    expect(nextExcessBlobGas(parent, { ...config, blobSchedule: {} }, 'shanghai')).toBe(0n)
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
  it.each([
    ['the blobs of the schedule on layer 1', {}, CANCUN, 6n * 131_072n],
    ['0 before blobs', {}, undefined, 0n],
    ['the gas limit on layer 2', LAYER_2, CANCUN, 30_000_000n],
  ])('is %s', (_, config, schedule, expected) => {
    expect(maxBlobGasUsed(30_000_000n, config, schedule)).toBe(expected)
  })
})
