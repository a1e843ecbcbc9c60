import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../primitives/hex.ts'
import { decodeRevertReason } from './revert-reason.ts'

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}

function errorString(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
  return hexToBytes(`0x08c379a0${word(32)}${word(bytes.length)}${padded}`)
}

describe('decodeRevertReason', () => {
  it('returns the string of Error(string)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeRevertReason(errorString(text))).toBe(text)
      }),
    )
  })

  it.each([
    [0x01, 'assert(false)'],
    [0x11, 'arithmetic underflow or overflow'],
    [0x12, 'division or modulo by zero'],
    [0x32, 'out-of-bounds access of an array or bytesN'],
    [0x99, 'unknown panic code: 0x99'],
  ])('returns the meaning of Panic(0x%s)', (code, text) => {
    expect(decodeRevertReason(hexToBytes(`0x4e487b71${word(code)}`))).toBe(text)
  })

  it.each([
    ['nothing', '0x'],
    ['a custom error', '0xdeadbeef'],
    ['a selector alone', '0x08c379a0'],
    ['an offset beyond the end', `0x08c379a0${word(64)}${word(1)}`],
    ['a length beyond the end', `0x08c379a0${word(32)}${word(33)}${word(0)}`],
    ['a huge offset', `0x08c379a0${'ff'.repeat(32)}${word(0)}`],
    ['half a panic code', '0x4e487b7100'],
  ])('returns nothing for %s', (_, output) => {
    expect(decodeRevertReason(hexToBytes(output))).toBeUndefined()
  })
})
