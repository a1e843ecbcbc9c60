import { describe, expect, it } from 'vitest'
import { blobBaseFee } from './blob-fee.ts'

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
