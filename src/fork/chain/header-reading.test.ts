import { expect, test } from 'vitest'
import { ReplyObject } from '../source/reply-fields.ts'
import { readHeaderMembers } from './header-reading.ts'

const WORD = `0x${'00'.repeat(32)}`
const HEADER = {
  parentHash: WORD,
  sha3Uncles: WORD,
  miner: `0x${'00'.repeat(20)}`,
  stateRoot: WORD,
  transactionsRoot: WORD,
  receiptsRoot: WORD,
  logsBloom: `0x${'00'.repeat(256)}`,
  number: '0x1',
  gasLimit: '0x1',
  gasUsed: '0x0',
  extraData: '0x',
}

const headerAt = (timestamp: string) => readHeaderMembers(new ReplyObject({ ...HEADER, timestamp }, 'block 1'))

test('a time near 2^64, after which no block could follow, is refused', () => {
  expect(headerAt(`0x7${'f'.repeat(15)}`).timestamp).toBe(2n ** 63n - 1n)
  for (const timestamp of [`0x8${'0'.repeat(15)}`, `0x${'f'.repeat(16)}`]) {
    expect(() => headerAt(timestamp)).toThrow(/leaves none for blocks after it/)
  }
})
