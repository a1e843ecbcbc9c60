import { describe, expect, it } from 'vitest'
import { layer2RulesOf } from '../../chain/forks/layer2-rules.ts'
import { UPGRADE_TABLE, type Upgrade } from '../../chain/forks/upgrades.ts'
import { precompileAddress } from '../precompile.ts'
import { precompilesOf } from './registry.ts'

function precompileIn(upgrade: Upgrade, address: number) {
  const { fork } = UPGRADE_TABLE.find(({ name }) => name === upgrade)!
  return { fork, precompile: precompilesOf(fork, layer2RulesOf(upgrade)).get(precompileAddress(address)) }
}

describe('precompiles of OP-stack upgrades', () => {
  it.each([
    ['ecotone', undefined],
    ['fjord', 3_450n],
    ['jovian', 3_450n],
    ['karst', 6_900n],
    ['azul', 6_900n],
  ] as const)('P256VERIFY in %s costs %s gas', (upgrade, gas) => {
    const { fork, precompile } = precompileIn(upgrade, 0x100)
    expect(precompile?.gas(new Uint8Array(), fork)).toBe(gas)
  })

  // A pair of points takes 192 bytes.
  it.each([
    ['fjord', 600, true],
    ['granite', 586, true],
    ['granite', 587, false],
    ['jovian', 427, true],
    ['jovian', 428, false],
    ['karst', 300, true],
    ['karst', 301, false],
    ['azul', 427, true],
    ['azul', 428, false],
  ] as const)('the alt_bn128 pairing in %s with %s pairs: accepted %s', (upgrade, pairs, isAccepted) => {
    const { fork, precompile } = precompileIn(upgrade, 0x08)
    expect(precompile!.run(new Uint8Array(pairs * 192), fork) !== undefined).toBe(isAccepted)
  })

  it.each([
    ['isthmus', 0x0c, 513_760],
    ['isthmus', 0x0e, 488_448],
    ['isthmus', 0x0f, 235_008],
    ['jovian', 0x0c, 288_960],
    ['jovian', 0x0e, 278_784],
    ['jovian', 0x0f, 156_672],
    ['karst', 0x0c, 288_960],
    ['karst', 0x0e, 278_784],
    ['karst', 0x0f, 156_672],
  ] as const)('in %s precompile %s fails above its %s bytes', (upgrade, address, limit) => {
    const { fork, precompile } = precompileIn(upgrade, address)
    expect(
      precompile!.run(new Uint8Array(limit + (address === 0x0c ? 160 : address === 0x0e ? 288 : 384)), fork),
    ).toBeUndefined()
  })

  it('have no limits on layer 1', () => {
    const pairing = precompilesOf('prague').get(precompileAddress(0x08))!
    expect(pairing.run(new Uint8Array(600 * 192), 'prague')).toBeDefined()
  })
})
