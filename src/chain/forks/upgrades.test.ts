import { describe, expect, it } from 'vitest'
import { LAYER_1, LAYER_2 } from '../../../test/support/engine-fixture.ts'
import { layer2RulesAt, layer2RulesOf } from './layer2-rules.ts'
import { forkTimesOf, includesUpgrade, UPGRADES, upgradeAt } from './upgrades.ts'

describe('upgrades', () => {
  it('activate at their second, and Bedrock before all others', () => {
    const times = { canyon: 100n, fjord: 200n }
    const names = [99n, 100n, 199n, 200n].map((timestamp) => upgradeAt(times, timestamp))
    expect(names).toEqual(['bedrock', 'canyon', 'canyon', 'fjord'])
  })

  it('include those before them', () => {
    expect(includesUpgrade('denim', 'bedrock')).toBe(true)
    expect(includesUpgrade('ecotone', 'fjord')).toBe(false)
  })

  it('part after Jovian: Karst and those of Base do not include each other', () => {
    for (const ofBase of ['azul', 'beryl', 'cobalt', 'denim'] as const) {
      expect(includesUpgrade(ofBase, 'karst')).toBe(false)
      expect(includesUpgrade('karst', ofBase)).toBe(false)
      expect(includesUpgrade(ofBase, 'jovian')).toBe(true)
    }
    expect(includesUpgrade('karst', 'jovian')).toBe(true)
    expect(upgradeAt({ jovian: 0n, karst: 10n }, 10n)).toBe('karst')
  })

  it('schedule each Ethereum fork with the first upgrade that includes it', () => {
    const times = Object.fromEntries(UPGRADES.map((name, index) => [name, BigInt(index)]))
    expect(forkTimesOf(times)).toEqual({ shanghai: 2n, cancun: 3n, prague: 7n, osaka: 9n })
    expect(forkTimesOf({ isthmus: 100n })).toEqual({ prague: 100n })
  })
})

describe('layer2RulesAt', () => {
  it('gives no rules on layer 1', () => {
    expect(layer2RulesAt(LAYER_1, 0n)).toBeUndefined()
  })

  it('gives those of the active upgrade', () => {
    const config = { ...LAYER_2, layer2: { ...LAYER_2.layer2!, upgradeTimes: { holocene: 0n, isthmus: 100n } } }
    expect(layer2RulesAt(config, 99n)).toBe(layer2RulesOf('holocene'))
    expect(layer2RulesAt(config, 100n)).toMatchObject({
      hasMessagePasserRoot: true,
      hasOperatorFee: true,
      hasMinBaseFee: false,
    })
  })

  it('gives the headers of Jovian without fees for layer 1 to a chain that schedules no upgrades', () => {
    expect(layer2RulesAt(LAYER_2, 0n)).toMatchObject({
      hasL1Fee: false,
      hasMinBaseFee: true,
      hasMessagePasserRoot: true,
    })
  })
})
