import { describe, expect, test } from 'vitest'
import { blockObject, receiptObject } from './chain-objects.ts'

const receipt = {
  transactionHash: '0x1',
  type: '0x2',
  gasUsed: '0x5208',
  operatorFeeScalar: '0xf4240',
  operatorFeeConstant: '0x5',
}

describe('the operator fee of a receipt', () => {
  test.each([
    ['counts a millionth of the scalar per gas before Jovian', {}, 21_005n],
    ['counts a hundred times the scalar per gas since Jovian', { daFootprintGasScalar: '0x190' }, 2_100_000_000_005n],
    ['is none of a deposit', { type: '0x7e' }, undefined],
    ['is unknown where the chain has none', { operatorFeeScalar: undefined }, undefined],
  ])('%s', (_, more, fee) => {
    expect(receiptObject({ ...receipt, ...more })?.operatorFee).toBe(fee)
  })
})

test('a block has its milliseconds where the chain has them', () => {
  const timestamp = '0x697dec40'
  expect(blockObject({ number: '0x1', timestamp, timestampMs: '0x19c1481f2c8' })?.timestampMs).toBe(0x19c1481f2c8n)
  expect(blockObject({ number: '0x1', timestamp })?.timestampMs).toBeUndefined()
})
