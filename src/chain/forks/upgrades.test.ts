import { describe, expect, it } from 'vitest'
import type { Fork } from './forks.ts'
import {
  forkOfUpgrade,
  forkTimesOf,
  hasNativeTokens,
  includesUpgrade,
  lineageOf,
  UPGRADES,
  type Upgrade,
  upgradeAt,
} from './upgrades.ts'

/** Each upgrade, the Ethereum fork that it includes, and the chains that have it (OP-stack specs and Base specs). */
const TABLE: readonly (readonly [Upgrade, Fork, 'op' | 'base' | undefined])[] = [
  ['bedrock', 'paris', undefined],
  ['regolith', 'paris', undefined],
  ['canyon', 'shanghai', undefined],
  ['ecotone', 'cancun', undefined],
  ['fjord', 'cancun', undefined],
  ['granite', 'cancun', undefined],
  ['holocene', 'cancun', undefined],
  ['isthmus', 'prague', undefined],
  ['jovian', 'prague', undefined],
  ['karst', 'osaka', 'op'],
  ['azul', 'osaka', 'base'],
  ['beryl', 'osaka', 'base'],
  ['cobalt', 'osaka', 'base'],
  ['denim', 'osaka', 'base'],
]

describe('upgrades', () => {
  it('are in the order of activation, with their Ethereum forks and lineages', () => {
    expect(UPGRADES.map((upgrade) => [upgrade, forkOfUpgrade(upgrade), lineageOf(upgrade)])).toEqual(TABLE)
  })

  it('have native tokens from Beryl on', () => {
    expect(UPGRADES.filter(hasNativeTokens)).toEqual(['beryl', 'cobalt', 'denim'])
    expect(hasNativeTokens(undefined)).toBe(false)
  })

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
