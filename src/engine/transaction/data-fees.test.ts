import { describe, expect, it } from 'vitest'
import { address, stateOf } from '../../../test/support/engine-fixture.ts'
import { operatorFee } from '../../chain/fees/operator-fee.ts'
import { layer2RulesOf } from '../../chain/forks/layer2-rules.ts'
import type { WorldState } from '../world-state.ts'
import { payDataFees } from './data-fees.ts'

describe('payDataFees', () => {
  it.each([
    ['isthmus', 100n],
    ['jovian', 10_000_000_000n],
  ] as const)('returns the operator fee of 50,000 unused gas without the constant in %s', (upgrade, refund) => {
    const rules = layer2RulesOf(upgrade)
    const parameters = {
      l1BaseFee: 0n,
      l1BlobBaseFee: 0n,
      baseFeeScalar: 0n,
      blobBaseFeeScalar: 0n,
      overhead: 0n,
      scalar: 0n,
      operatorFeeScalar: 2_000n,
      operatorFeeConstant: 7n,
      daFootprintGasScalar: 148,
    }
    const state = stateOf({}) as WorldState
    const l1Fee = { fee: 11n, gasUsed: 1_600n }
    const upfront = l1Fee.fee + operatorFee(100_000n, parameters, rules)

    payDataFees(state, address(0xbeef), { l1Fee, upfront, parameters, rules }, 50_000n)

    expect(state.account(address(0xbeef))?.balance).toBe(refund)
  })
})
