import { describe, expect, it } from 'vitest'
import { LAYER_1, LAYER_2 } from '../../../test/support/engine-fixture.ts'
import type { ChainConfig } from './chain-config.ts'
import { chainProfile, DEFAULT_PROFILE, hasL1Attributes, PROFILE_NAMES } from './chain-profile.ts'

const OP: ChainConfig = { ...LAYER_2, layer2: { ...LAYER_2.layer2!, upgradeTimes: { jovian: 0n } } }
const DENIM: ChainConfig = {
  ...OP,
  layer2: { ...OP.layer2!, denim: { genesisNumber: 0n, genesisTime: 0n, denimTime: 0n } },
}

describe('the profile of a chain', () => {
  it.each([
    ['ethereum', 'without rules of layer 2', LAYER_1, false],
    ['flashblocks', 'on layer 2 without scheduled upgrades', LAYER_2, false],
    ['op', 'with the upgrades of the OP stack', OP, true],
    ['denim', 'where Denim is scheduled', DENIM, true],
  ])('is %s %s', (profile, _, config, hasAttributes) => {
    expect(chainProfile(config)).toBe(profile)
    expect(hasL1Attributes(config)).toBe(hasAttributes)
    expect(PROFILE_NAMES).toContain(profile)
  })

  it('is flashblocks by default', () => {
    expect(DEFAULT_PROFILE).toBe('flashblocks')
  })
})
