import { expect, test } from 'vitest'
import { BLOOM_BYTES } from '../../chain/receipt/bloom.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../primitives/rlp.ts'
import { readReceipt, receiptItem } from './receipt-codec.ts'

test('a receipt without logs has no bloom: another one is refused, so that a receipt has one encoding', () => {
  const receipt: Receipt = {
    type: 2,
    outcome: { status: 1 },
    cumulativeGasUsed: 21_000,
    gasUsed: 21_000,
    logsBloom: new Uint8Array(BLOOM_BYTES),
    logs: [],
    firstLogIndex: 0,
    contractAddress: null,
    effectiveGasPrice: 7n,
  }
  const members = decodeRlp(encodeRlp(receiptItem(receipt))) as readonly RlpItem[]

  expect(readReceipt(members)).toEqual(receipt)
  for (const bloom of [Uint8Array.of(13), new Uint8Array(BLOOM_BYTES)]) {
    expect(() => readReceipt(members.with(4, bloom))).toThrow('logsBloom is 0 bytes')
  }
})
