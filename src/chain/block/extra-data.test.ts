import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { decodeExtraData, encodeExtraData } from './extra-data.ts'

it('encodes the bytes of the specification', () => {
  expect(bytesToHex(encodeExtraData({ denominator: 100, elasticity: 5, minBaseFee: 5_000_000n }))).toBe(
    '0x01000000640000000500000000004c4b40',
  )
  expect(bytesToHex(encodeExtraData({ denominator: 50, elasticity: 6 }))).toBe('0x000000003200000006')
})

it('round-trips', () => {
  const u32 = fc.integer({ min: 1, max: 0xffffffff })
  const minBaseFee = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
  const parameters = fc.record(
    { denominator: u32, elasticity: u32, minBaseFee },
    { requiredKeys: ['denominator', 'elasticity'] },
  )
  fc.assert(
    fc.property(parameters, (value) => {
      const bytes = encodeExtraData(value)
      expect(decodeExtraData(bytes)).toEqual(value)
      expect(decodeExtraData(bytes.slice())).toEqual(value)
    }),
  )
})

it.each([
  ['nothing', '0x'],
  ['another version', '0x02000000640000000500000000004c4b40'],
  ['the length of the other version', '0x010000003200000006'],
  ['a denominator of 0', '0x01000000000000000500000000004c4b40'],
  ['an elasticity of 0', '0x000000003200000000'],
  ['some text', '0x68697665636861696e'],
])('finds no parameters in %s', (_, hex) => {
  expect(decodeExtraData(hexToBytes(hex))).toBeUndefined()
})
