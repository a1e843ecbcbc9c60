import { expect, test } from 'vitest'
import { RecordWriter } from '../../../test/support/record-writer.ts'
import { createHeader } from '../../chain/block/header.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import type { FlashblockRecord } from '../../state/records/record.ts'
import { checkRoots, emptyRoots, withAdded } from './root-check.ts'

const { header, transactions, receipts } = new RecordWriter().flashblock().flashblock(2).last as FlashblockRecord
const roots = withAdded(emptyRoots(), { transactions, receipts })

test('a header passes with the roots of its transactions and receipts, added at once or one by one', () => {
  const one = withAdded(emptyRoots(), { transactions: transactions.slice(0, 1), receipts: receipts.slice(0, 1) })
  const both = withAdded(one, { transactions: transactions.slice(1), receipts: receipts.slice(1) })

  expect(() => checkRoots(header, roots)).not.toThrow()
  expect(() => checkRoots(header, both)).not.toThrow()
  expect(withAdded(roots, { transactions: [], receipts: [] })).toBe(roots)
})

test.each([
  ['transactions root', { transactionsRoot: bigintToHash(1n) }],
  ['receipts root', { receiptsRoot: bigintToHash(1n) }],
  ['logs bloom', { logsBloom: new Uint8Array(256).fill(1) }],
  ['gas used', { gasUsed: 1 }],
])('names the %s if it differs', (name, change) => {
  expect(() => checkRoots(createHeader({ ...header, ...change }), roots)).toThrow(`the ${name} of block 1 is not`)
})

test('the bloom is the union of those of the receipts', () => {
  const withBloom = (byte: number) => ({ ...receipts[0]!, logsBloom: new Uint8Array(256).fill(byte) })
  const both = { transactions, receipts: [withBloom(1), withBloom(4)] }

  expect(withAdded(emptyRoots(), both).logsBloom).toEqual(new Uint8Array(256).fill(5))
  expect(
    withAdded(withAdded(emptyRoots(), both), { ...both, receipts: [withBloom(2), withBloom(2)] }).logsBloom,
  ).toEqual(new Uint8Array(256).fill(7))
})

test('a transaction without a receipt is refused', () => {
  const missing = withAdded(emptyRoots(), { transactions, receipts: receipts.slice(0, 1) })

  expect(() => checkRoots(header, missing)).toThrow('the number of receipts of block 1 is not')
})
