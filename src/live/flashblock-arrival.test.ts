import { fromRlp, keccak256, parseTransaction, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { blockArrival, flashblockArrival, MAX_SUMMARIES, type TransactionCodec } from './flashblock-arrival.ts'

const codec: TransactionCodec = { hash: keccak256, members: (rlp) => fromRlp(rlp, 'hex') as readonly unknown[] }

const HASH = `0x${'ab'.repeat(32)}`
const PARENT_HASH = `0x${'cd'.repeat(32)}`
/** Values of JSON that are no text of bounded length; `String` throws on the first one. */
const NO_TEXTS = [{ toString: 0, valueOf: 0 }, 7, null, [], 'x'.repeat(100_000)]

describe('flashblockArrival', () => {
  const to = '0x00000000000000000000000000000000000000aa'
  const signed = serializeTransaction(
    { type: 'eip1559', chainId: 1, to, value: 7n, data: '0xa9059cbb00', gas: 21_000n },
    { r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}`, yParity: 1 },
  )
  const message = (transactions: readonly unknown[]) => ({
    payload_id: '0x01',
    index: 0,
    base: { parent_hash: PARENT_HASH, timestamp: '0x10', gas_limit: '0x3e8' },
    diff: { gas_used: '0x5208', block_hash: HASH, transactions },
    metadata: { block_number: 4 },
  })

  test('reads recipient, value and selector out of signed transactions', () => {
    expect(parseTransaction(signed)).toMatchObject({ to, value: 7n })
    expect(flashblockArrival(message([signed]), 5, codec)).toMatchObject({
      blockNumber: 4,
      gasUsed: 21_000n,
      transactionCount: 1,
      transactions: [{ to, value: 7n, selector: '0xa9059cbb' }],
      base: { parentHash: PARENT_HASH, timestamp: 16n, gasLimit: 1_000n },
      arrivedAt: 5,
    })
  })

  test('counts all transactions but summarises a bounded number', () => {
    const read = flashblockArrival(message(Array(500).fill(signed)), 0, codec)!
    expect([read.transactionCount, read.transactions.length]).toEqual([500, MAX_SUMMARIES])
  })

  test('keeps the hash of a transaction of an unknown type', () => {
    expect(flashblockArrival(message(['0x05c0']), 0, codec)!.transactions).toMatchObject([
      { to: undefined, selector: '' },
    ])
  })

  test.each([-1, 0.5, 1_000, 1e9, '3', null])('rejects the index %j, which no block has', (index) => {
    expect(flashblockArrival({ ...message([signed]), index }, 0, codec)).toBeUndefined()
  })

  test.each([null, 7, 'text', {}, { payload_id: '0x', index: 0 }])('rejects %j', (other) => {
    expect(flashblockArrival(other, 0, codec)).toBeUndefined()
  })

  test.each(NO_TEXTS)('keeps no other value in place of a hash or an id (%#)', (value) => {
    const { diff, base } = message([])
    expect(flashblockArrival({ ...message([]), payload_id: value }, 0, codec)).toBeUndefined()
    expect(flashblockArrival({ ...message([]), diff: { ...diff, block_hash: value } }, 0, codec)).toBeUndefined()
    const orphan = flashblockArrival({ ...message([]), base: { ...base, parent_hash: value } }, 0, codec)
    expect(orphan).toMatchObject({ blockNumber: 4, base: { parentHash: '' } })
  })

  test.each([...NO_TEXTS, '0x', '0x1', '0xzz'])('leaves out a transaction that is no bytes (%#)', (value) => {
    expect(flashblockArrival(message([value, signed]), 0, codec)!.transactions).toMatchObject([{ to }])
  })
})

describe('blockArrival', () => {
  const block = (more: object) => ({
    hash: HASH,
    parentHash: PARENT_HASH,
    number: '0x4',
    gasUsed: '0x0',
    transactions: [],
    ...more,
  })

  test.each(NO_TEXTS)('keeps no other value in place of a hash or an address (%#)', (value) => {
    expect(blockArrival(value, 0)).toBeUndefined()
    expect(blockArrival(block({ hash: value }), 0)).toBeUndefined()
    expect(blockArrival(block({ parentHash: value }), 0)).toMatchObject({ blockNumber: 4, base: { parentHash: '' } })
    const transactions = [value, { hash: value }, { hash: HASH, to: value, value, input: value }]
    expect(blockArrival(block({ transactions }), 0)!.transactions).toMatchObject([{ hash: HASH, to: undefined }])
  })
})
