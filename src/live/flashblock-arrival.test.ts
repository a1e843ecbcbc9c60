import { fromRlp, keccak256, parseTransaction, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { flashblockArrival, MAX_SUMMARIES, type TransactionCodec } from './flashblock-arrival.ts'

const codec: TransactionCodec = { hash: keccak256, members: (rlp) => fromRlp(rlp, 'hex') as readonly unknown[] }

describe('flashblockArrival', () => {
  const to = '0x00000000000000000000000000000000000000aa'
  const signed = serializeTransaction(
    { type: 'eip1559', chainId: 1, to, value: 7n, data: '0xa9059cbb00', gas: 21_000n },
    { r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}`, yParity: 1 },
  )
  const message = (transactions: readonly unknown[]) => ({
    payload_id: '0x01',
    index: 0,
    base: { parent_hash: '0xp', timestamp: '0x10', gas_limit: '0x3e8' },
    diff: { gas_used: '0x5208', block_hash: '0xh', transactions },
    metadata: { block_number: 4 },
  })

  test('reads recipient, value and selector out of signed transactions', () => {
    expect(parseTransaction(signed)).toMatchObject({ to, value: 7n })
    expect(flashblockArrival(message([signed]), 5, codec)).toMatchObject({
      blockNumber: 4,
      gasUsed: 21_000n,
      transactionCount: 1,
      transactions: [{ to, value: 7n, selector: '0xa9059cbb' }],
      base: { parentHash: '0xp', timestamp: 16n, gasLimit: 1_000n },
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
})
