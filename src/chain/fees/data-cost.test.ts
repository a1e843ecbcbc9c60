import { expect, test } from 'vitest'
import { layer2RulesOf } from '../forks/layer2-rules.ts'
import { dataCost } from './data-cost.ts'

test('a transaction must be able to pay the L1 fee and the operator fee of its gas limit', () => {
  const parameters = {
    l1BaseFee: 1_000_000_000n,
    l1BlobBaseFee: 1n,
    baseFeeScalar: 1_000_000n,
    blobBaseFeeScalar: 0n,
    overhead: 0n,
    scalar: 0n,
    operatorFeeConstant: 7n,
    operatorFeeScalar: 3n,
    daFootprintGasScalar: 0,
  }
  const transaction = { raw: Uint8Array.of(2), gasLimit: 21_000n }

  // 100 bytes, the minimum, at 16 gas of 1 gwei each; 3 * 100 wei for each unit of gas, and 7.
  expect(dataCost(transaction, { parameters, rules: layer2RulesOf('jovian') })).toBe(
    1_600n * 1_000_000_000n + 21_000n * 300n + 7n,
  )
})
