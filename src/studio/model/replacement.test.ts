import { describe, expect, test } from 'vitest'
import type { PoolRow } from './pool-rows.ts'
import { replacementFee, replacementOf } from './replacement.ts'

const ROW: PoolRow = {
  raw: {},
  hash: '0xaa',
  from: '0xf0',
  to: '0x10',
  value: 5n,
  input: '0x1234',
  nonce: 7n,
  gas: 50_000n,
  gasPrice: 2_000_000_000n,
  maxFee: 2_000_000_000n,
  maxPriorityFee: 1_000n,
  type: 2,
  blockNumber: undefined,
  index: undefined,
  state: 'queued',
}

describe('replacementOf', () => {
  test('repeats the call with its nonce and higher fees', () => {
    expect(replacementFee(ROW)).toBe('2.250000001')
    expect(replacementOf(ROW, replacementFee(ROW), false)).toEqual({
      to: '0x10',
      data: '0x1234',
      value: '0x5',
      nonce: '0x7',
      gas: '0xc350',
      maxFeePerGas: '0x861c4681',
      maxPriorityFeePerGas: '0x466',
    })
  })

  test('cancels with a transfer of nothing to the sender', () => {
    expect(replacementOf(ROW, '3', true)).toMatchObject({ to: '0xf0', data: '0x', value: '0x0', gas: '0x5208' })
  })

  test('offers a gas price where the pooled one did, and creates a contract as it did', () => {
    const { to: _, maxFee: __, maxPriorityFee: ___, ...rest } = ROW
    const legacy = { ...rest, to: undefined, maxFee: undefined, maxPriorityFee: undefined }
    const replacement = replacementOf(legacy, '3', false)
    expect(replacement).toMatchObject({ gasPrice: '0xb2d05e00' })
    expect('to' in replacement || 'maxFeePerGas' in replacement).toBe(false)
  })

  test('never offers a tip above the fee', () => {
    const { maxFeePerGas, maxPriorityFeePerGas } = replacementOf(
      { ...ROW, maxPriorityFee: 2_000_000_000n },
      '2.2',
      false,
    )
    expect(maxPriorityFeePerGas).toBe(maxFeePerGas)
  })

  test.each([
    ['2.19', 'at least 10 %'],
    ['much', 'in gwei'],
    ['', 'in gwei'],
    ['1.0000000001', 'in gwei'],
  ])('refuses the fee "%s" and says what to write', (fee, message) => {
    expect(() => replacementOf(ROW, fee, false)).toThrow(message)
  })
})
