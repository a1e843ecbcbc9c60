import { describe, expect, it } from 'vitest'
import { LAYER_1, LAYER_2 } from '../../../test/support/engine-fixture.ts'
import { type Layer2Rules, layer2RulesAt, layer2RulesOf } from './layer2-rules.ts'
import { UPGRADES, type Upgrade } from './upgrades.ts'

/** Upgrades from one on that all chains share, and both lineages after Jovian: Karst, and those of Base. */
const BASE: readonly Upgrade[] = ['azul', 'beryl', 'cobalt', 'denim']

/** The first upgrade of each rule (OP-stack specs: upgrades). */
const FIRST_UPGRADES: { readonly [Rule in Exclude<keyof Layer2Rules, 'upgrade' | 'hasL1Fee'>]: Upgrade } = {
  hasDepositReceiptVersion: 'canyon',
  hasBlobPricedL1Fee: 'ecotone',
  hasCompressedL1Fee: 'fjord',
  hasP256Verify: 'fjord',
  hasPairingLimit: 'granite',
  hasHeaderFeeParameters: 'holocene',
  hasMessagePasserRoot: 'isthmus',
  hasBlsLimits: 'isthmus',
  hasOperatorFee: 'isthmus',
  hasMinBaseFee: 'jovian',
  hasDataFootprint: 'jovian',
  hasHigherOperatorFee: 'jovian',
  hasLowerPrecompileLimits: 'jovian',
  hasLowestPairingLimit: 'karst',
  hasNoCrossUnsafeHead: 'karst',
}

describe('a rule of the OP stack', () => {
  it.each(Object.entries(FIRST_UPGRADES))('%s holds from %s on', (rule, first) => {
    const holds = UPGRADES.filter((upgrade) => new Map(Object.entries(layer2RulesOf(upgrade))).get(rule))
    const later = UPGRADES.slice(UPGRADES.indexOf(first))
    expect(holds).toEqual(first === 'karst' ? later.filter((upgrade) => !BASE.includes(upgrade)) : later)
  })

  it('is given with the name of its upgrade, and with the L1 fee', () => {
    for (const upgrade of UPGRADES) expect(layer2RulesOf(upgrade)).toMatchObject({ upgrade, hasL1Fee: true })
  })
})

describe('layer2RulesAt', () => {
  it('gives no rules on layer 1', () => {
    expect(layer2RulesAt(LAYER_1, 0n)).toBeUndefined()
  })

  it('gives those of the active upgrade', () => {
    const config = { ...LAYER_2, layer2: { ...LAYER_2.layer2!, upgradeTimes: { holocene: 0n, isthmus: 100n } } }
    expect(layer2RulesAt(config, 99n)).toBe(layer2RulesOf('holocene'))
    expect(layer2RulesAt(config, 100n)).toBe(layer2RulesOf('isthmus'))
  })

  it('gives headers and receipts of Jovian, without its fees and precompiles, without scheduled upgrades', () => {
    expect(layer2RulesAt(LAYER_2, 0n)).toEqual({
      hasDepositReceiptVersion: true,
      hasBlobPricedL1Fee: true,
      hasCompressedL1Fee: true,
      hasHeaderFeeParameters: true,
      hasMessagePasserRoot: true,
      hasMinBaseFee: true,
      hasDataFootprint: true,
      hasHigherOperatorFee: true,
      hasL1Fee: false,
      hasOperatorFee: false,
      hasP256Verify: false,
      hasPairingLimit: false,
      hasBlsLimits: false,
      hasLowerPrecompileLimits: false,
      hasLowestPairingLimit: false,
      hasNoCrossUnsafeHead: false,
    })
  })
})
