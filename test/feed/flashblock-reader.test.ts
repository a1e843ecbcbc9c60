import { brotliCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readFlashblock } from '../support/flashblocks/flashblock-reader.ts'

const hex = (byte: string, length: number) => `0x${byte.repeat(length)}`

const FIRST = {
  payload_id: '0x0102030405060708',
  index: 0,
  base: {
    parent_beacon_block_root: hex('01', 32),
    parent_hash: hex('02', 32),
    fee_recipient: hex('03', 20),
    prev_randao: hex('04', 32),
    block_number: '0x65',
    gas_limit: '0x17d78400',
    timestamp: '0x6553f102',
    extra_data: '0x0001',
    base_fee_per_gas: '0x4c4b40',
  },
  diff: {
    state_root: hex('05', 32),
    receipts_root: hex('06', 32),
    logs_bloom: hex('00', 256),
    gas_used: '0xb48a',
    block_hash: hex('07', 32),
    transactions: ['0x7e01'],
    withdrawals: [],
    withdrawals_root: hex('08', 32),
    blob_gas_used: '0x0',
  },
  metadata: { block_number: 101 },
}
const { base: _, ...WITHOUT_BASE } = FIRST
const LATER = { ...WITHOUT_BASE, index: 3 }

function read(message: unknown) {
  return readFlashblock(Buffer.from(JSON.stringify(message)))
}

/** A message with one member changed. */
function withMember(path: string, value: unknown): unknown {
  const message: Record<string, unknown> = structuredClone(FIRST)
  const names = path.split('.')
  const last = names.pop()!
  const object = names.reduce((inner, name) => inner[name] as Record<string, unknown>, message)
  if (value === undefined) delete object[last]
  else object[last] = value
  return message
}

test('reads a message as text and as Brotli with the same result', () => {
  const bytes = Buffer.from(JSON.stringify(FIRST))
  const result = readFlashblock(bytes)
  expect(result).toMatchObject({
    kind: 'flashblock',
    flashblock: {
      payloadId: '0x0102030405060708',
      number: 101,
      index: 0,
      base: { number: 101, gasLimit: 400_000_000n, timestamp: 0x6553f102n, baseFeePerGas: 5_000_000n },
      diff: { gasUsed: 0xb48a, transactions: [Buffer.from([0x7e, 1])], blobGasUsed: 0 },
    },
  })
  expect(readFlashblock(brotliCompressSync(bytes))).toEqual(result)
  expect(readFlashblock(Buffer.concat([Buffer.from(' \r\n\t'), bytes]))).toEqual(result)
})

test.each([
  ['a null base', { ...LATER, base: null }],
  ['no DA footprint', { ...LATER, diff: { ...LATER.diff, blob_gas_used: undefined } }],
  ['a DA footprint that is null', { ...LATER, diff: { ...LATER.diff, blob_gas_used: null } }],
  [
    'receipts, balances and an access list',
    {
      ...LATER,
      metadata: {
        block_number: 101,
        receipts: { [hex('09', 32)]: { Eip1559: { status: '0x1', logs: [] } } },
        new_account_balances: { [hex('0a', 20)]: '0x1' },
        access_list: null,
      },
    },
  ],
  ['members that nobody knows yet', { ...LATER, flags: 1, diff: { ...LATER.diff, access_list: [] } }],
])('reads a message of another version with %s', (_, message) => {
  expect(read(message)).toMatchObject({ kind: 'flashblock', flashblock: { index: 3, number: 101 } })
})

test('ignores the case of hex digits', () => {
  expect(read(withMember('diff.block_hash', hex('AB', 32)))).toEqual(read(withMember('diff.block_hash', hex('ab', 32))))
})

describe('names the member and the cause of an error', () => {
  test.each([
    ['payload_id', undefined, 'MISSING'],
    ['payload_id', '0x01', 'INVALID'],
    ['index', '0x0', 'INVALID'],
    ['index', -1, 'INVALID'],
    ['index', 0.5, 'INVALID'],
    ['index', 2 ** 53, 'INVALID'],
    ['base', undefined, 'MISSING'],
    ['base', [], 'INVALID'],
    ['base.timestamp', '0x', 'INVALID'],
    ['base.timestamp', '0x01', 'INVALID'],
    ['base.timestamp', 1, 'INVALID'],
    ['base.timestamp', `0x1${'0'.repeat(16)}`, 'INVALID'],
    ['base.block_number', '0x20000000000000', 'INVALID'],
    ['base.base_fee_per_gas', `0x1${'0'.repeat(64)}`, 'INVALID'],
    ['base.base_fee_per_gas', `0x${'f'.repeat(1_000_000)}`, 'INVALID'],
    ['base.extra_data', '0x0', 'INVALID'],
    ['base.fee_recipient', hex('03', 32), 'INVALID'],
    ['diff', undefined, 'MISSING'],
    ['diff', null, 'INVALID'],
    ['diff.logs_bloom', hex('00', 255), 'INVALID'],
    ['diff.gas_used', undefined, 'MISSING'],
    ['diff.withdrawals', {}, 'INVALID'],
    ['diff.transactions', '0x', 'INVALID'],
    ['metadata', undefined, 'MISSING'],
    ['metadata.block_number', undefined, 'MISSING'],
    ['metadata.block_number', '0x65', 'INVALID'],
  ])('rejects %s: %j', (path, value, code) => {
    const message = expect.stringMatching(new RegExp(`^${path.replaceAll('.', '\\.')}: `))
    expect(read(withMember(path, value))).toEqual({ kind: 'refused', fault: { code, path, message } })
  })

  test('rejects an invalid transaction', () => {
    for (const wrong of ['0x', '02', 2, null]) {
      const fault = { code: 'INVALID', path: 'diff.transactions[1]' }
      expect(read(withMember('diff.transactions', ['0x02', wrong]))).toMatchObject({ kind: 'refused', fault })
    }
  })

  test('rejects a base in a later flashblock', () => {
    const fault = { code: 'INVALID', path: 'base', message: 'base: only index 0 carries it' }
    expect(read({ ...FIRST, index: 1 })).toEqual({ kind: 'refused', fault })
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text that is not JSON', Buffer.from('{"index":')],
    ['bytes that are neither', Buffer.from([0xff, 0xfe, 0x00])],
    ['Brotli cut off', brotliCompressSync(Buffer.from(JSON.stringify(FIRST))).subarray(0, 40)],
    ['Brotli of what is not UTF-8', brotliCompressSync(Buffer.from([0x7b, 0xff]))],
    ['JSON that is not an object', Buffer.from('[1]')],
  ])('rejects %s', (_, bytes) => {
    expect(readFlashblock(bytes)).toMatchObject({ kind: 'refused', fault: { code: 'UNREADABLE' } })
  })

  test('rejects Brotli of a JSON value that is not an object', () => {
    const fault = { code: 'INVALID', path: '', message: 'a message: not an object' }
    expect(readFlashblock(brotliCompressSync(Buffer.from('[1]')))).toEqual({ kind: 'refused', fault })
  })
})

test('rejects a message whose decompressed size exceeds maxBytes', () => {
  const bomb = brotliCompressSync(Buffer.alloc(10_000_000, 0x20))
  expect(bomb.length).toBeLessThan(1_000)
  const fault = { code: 'TOO_LARGE', message: 'a message has more than 1000000 bytes' }
  expect(readFlashblock(bomb, { maxBytes: 1_000_000 })).toEqual({ kind: 'refused', fault })
  expect(readFlashblock(Buffer.alloc(1_000_001, 0x7b), { maxBytes: 1_000_000 })).toEqual({ kind: 'refused', fault })
})

test('property: reads or rejects any bytes without throwing', () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  const json = fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text))
  const damaged = fc.tuple(fc.constantFrom(FIRST, LATER), fc.nat(), fc.nat({ max: 255 })).map(([message, at, byte]) => {
    const text = Buffer.from(JSON.stringify(message))
    text[at % text.length] = byte
    return text
  })
  fc.assert(
    fc.property(fc.oneof(bytes, json, damaged), (message) => {
      for (const form of [message, brotliCompressSync(message)]) {
        expect(['flashblock', 'refused']).toContain(readFlashblock(form).kind)
      }
    }),
    { numRuns: 500 },
  )
})
