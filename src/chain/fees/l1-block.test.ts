import { describe, expect, it } from 'vitest'
import type { Slot } from '../../primitives/hex.ts'
import { layer2RulesOf } from '../forks/layer2-rules.ts'
import type { Upgrade } from '../forks/upgrades.ts'
import { daFootprintGasScalarOf, readL1BlockFees } from './l1-block.ts'

/** Sequence number 9, blob base fee scalar 20, base fee scalar 30; lowest bits first (OP-stack specs: predeploys). */
const SCALARS = 9n | (20n << 64n) | (30n << 96n)
/** Constant 40, scalar 50, scalar of the footprint 60. */
const OPERATOR = 40n | (50n << 64n) | (60n << 96n) | (1n << 112n)

/** Reads L1Block with these slots, and notes which of them were read. */
function read(slots: Readonly<Record<number, bigint>>, upgrade: Upgrade) {
  const wanted: number[] = []
  const storage = (slot: Slot) => {
    const number = Number(BigInt(slot))
    wanted.push(number)
    return slots[number] ?? 0n
  }
  return { fees: readL1BlockFees(storage, layer2RulesOf(upgrade)), wanted: wanted.sort() }
}

describe('readL1BlockFees', () => {
  it('reads overhead and scalar before Ecotone, and no other slots', () => {
    const { fees, wanted } = read({ 1: 10n, 3: SCALARS, 5: 11n, 6: 12n, 7: 13n, 8: OPERATOR }, 'canyon')

    expect(fees).toMatchObject({ l1BaseFee: 10n, overhead: 11n, scalar: 12n, l1BlobBaseFee: 0n, baseFeeScalar: 0n })
    expect(fees).toMatchObject({ operatorFeeConstant: 0n, operatorFeeScalar: 0n, daFootprintGasScalar: 0 })
    expect(wanted).toEqual([1, 5, 6])
  })

  it('reads both scalars and the blob base fee since Ecotone, and neither overhead nor operator fee', () => {
    const { fees, wanted } = read({ 1: 10n, 3: SCALARS, 5: 11n, 6: 12n, 7: 13n, 8: OPERATOR }, 'ecotone')

    expect(fees).toMatchObject({ l1BaseFee: 10n, l1BlobBaseFee: 13n, blobBaseFeeScalar: 20n, baseFeeScalar: 30n })
    expect(fees).toMatchObject({ overhead: 0n, scalar: 0n, operatorFeeConstant: 0n })
    expect(wanted).toEqual([1, 3, 7])
  })

  it('reads overhead and scalar in the first block of Ecotone, which has no blob prices yet', () => {
    const { fees } = read({ 1: 10n, 5: 11n, 6: 12n }, 'ecotone')

    expect(fees).toMatchObject({ overhead: 11n, scalar: 12n })
  })

  it('reads the operator fee and the footprint since Isthmus', () => {
    const { fees, wanted } = read({ 1: 10n, 3: SCALARS, 7: 13n, 8: OPERATOR }, 'isthmus')

    expect(fees).toMatchObject({ operatorFeeConstant: 40n, operatorFeeScalar: 50n, daFootprintGasScalar: 60 })
    expect(wanted).toEqual([1, 3, 7, 8])
  })
})

describe('daFootprintGasScalarOf', () => {
  it.each([
    [0, 400],
    [1, 1],
    [148, 148],
  ])('a scalar of %i in L1Block counts as %i', (daFootprintGasScalar, expected) => {
    expect(daFootprintGasScalarOf({ daFootprintGasScalar })).toBe(expected)
  })
})
