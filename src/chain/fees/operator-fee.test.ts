import { describe, expect, it } from 'vitest'
import { layer2RulesOf } from '../forks/layer2-rules.ts'
import { operatorFee, operatorGasPrice } from './operator-fee.ts'

const PARAMETERS = { operatorFeeScalar: 1_500_000n, operatorFeeConstant: 7n }

describe('operatorFee', () => {
  it.each([
    ['nothing before Isthmus', 'holocene', 0n],
    ['millionths of the gas in Isthmus', 'isthmus', 31_500n + 7n],
    ['a hundred times the gas since Jovian', 'jovian', 3_150_000_000_000n + 7n],
  ] as const)('counts %s', (_, upgrade, fee) => {
    expect(operatorFee(21_000n, PARAMETERS, layer2RulesOf(upgrade))).toBe(fee)
  })
})

describe('operatorGasPrice', () => {
  it.each([
    ['nothing before Isthmus', 'holocene', 1_500_000n, 0n],
    ['millionths in Isthmus, rounded up', 'isthmus', 1_500_000n, 2n],
    ['an exact number of millionths in Isthmus', 'isthmus', 2_000_000n, 2n],
    ['at least 1 for any scalar in Isthmus', 'isthmus', 1n, 1n],
    ['a hundred times the scalar since Jovian', 'jovian', 15n, 1_500n],
  ] as const)('is %s', (_, upgrade, operatorFeeScalar, price) => {
    expect(operatorGasPrice({ ...PARAMETERS, operatorFeeScalar }, layer2RulesOf(upgrade))).toBe(price)
  })
})
