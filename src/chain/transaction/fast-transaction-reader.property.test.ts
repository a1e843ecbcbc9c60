import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../test/support/runs.ts'
import { type Bytes, bytesToAddress, hexToBytes } from '../../primitives/hex.ts'
import { encodeTypedRlp, type RlpSource } from '../../primitives/rlp.ts'
import { readDynamicFeeTransaction } from './fast-transaction-reader.ts'
import { createTransaction } from './transaction-codec.ts'
import { readTransaction } from './transaction-reader.ts'

const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
const u256 = fc.oneof(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), fc.bigInt({ min: 0n, max: 1n << 50n }))
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytesToAddress)
const transaction = fc
  .record({
    type: fc.constant(2 as const),
    chainId: u64,
    nonce: u64,
    maxPriorityFeePerGas: u256,
    maxFeePerGas: u256,
    gasLimit: u64,
    to: fc.option(address, { nil: null }),
    value: u256,
    data: fc.oneof(
      fc.uint8Array({ maxLength: 70 }),
      fc.constantFrom(55, 56, 255, 256, 0xffff, 0x10000).map((length) => new Uint8Array(length).fill(0xab)),
    ),
    accessList: fc.constant([]),
    signature: fc.record({ r: u256, s: u256, yParity: fc.constantFrom(0 as const, 1 as const) }),
  })
  .map((fields) => createTransaction(fields))

/** The result of `readTransaction`; `undefined` where it throws. */
function readByAll(raw: Bytes) {
  try {
    return readTransaction(raw)
  } catch {
    return undefined
  }
}

test('property: agrees with the general reader', () => {
  fc.assert(
    fc.property(transaction, ({ raw, data }) => {
      const isShort = data.length < 0xff00
      expect(readDynamicFeeTransaction(raw)).toEqual(isShort ? readTransaction(raw) : undefined)
    }),
    { numRuns: propertyRuns(1_000) },
  )
})

test('leaves damaged input to the general reader, or agrees with it', () => {
  const damage = fc.array(fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }), { maxLength: 3 })
  fc.assert(
    fc.property(transaction, damage, fc.integer({ min: -3, max: 3 }), ({ raw }, changes, more) => {
      const damaged = new Uint8Array(raw.length + more)
      damaged.set(raw.subarray(0, damaged.length))
      // Most faults are in the head.
      for (const { at, byte } of changes) damaged[at % Math.min(damaged.length, 200)] = byte
      const read = readDynamicFeeTransaction(damaged)
      if (read !== undefined) expect(read).toEqual(readByAll(damaged))
    }),
    { numRuns: propertyRuns(10_000) },
  )
})

test.each<[string, (members: RlpSource[]) => unknown]>([
  ['a leading zero', (members) => members.splice(1, 1, Uint8Array.of(0, 1))],
  ['a zero that is a byte', (members) => members.splice(1, 1, Uint8Array.of(0))],
  ['a nonce of nine bytes', (members) => members.splice(1, 1, new Uint8Array(9).fill(1))],
  ['a value of 33 bytes', (members) => members.splice(6, 1, new Uint8Array(33).fill(1))],
  ['a recipient of 19 bytes', (members) => members.splice(5, 1, new Uint8Array(19))],
  ['a list for a number', (members) => members.splice(2, 1, [])],
  ['a parity of 2', (members) => members.splice(9, 1, 2)],
  ['a member too few', (members) => members.pop()],
  ['a member too many', (members) => members.push(1)],
  ['bytes for the access list', (members) => members.splice(8, 1, new Uint8Array())],
])('leaves %s to the general reader', (_, change) => {
  const to = '0x00000000000000000000000000000000000000aa' as const
  const members: RlpSource[] = [1, 5, 1, 2, 21_000, hexToBytes(to), 7, new Uint8Array(), [], 1, 300, 400]
  expect(readDynamicFeeTransaction(encodeTypedRlp(2, members))).toMatchObject({ nonce: 5n, to })
  change(members)
  const raw = encodeTypedRlp(2, members)
  expect(readDynamicFeeTransaction(raw)).toBeUndefined()
  expect(readByAll(raw)).toBeUndefined()
})

test.each([
  ['nothing', '0x'],
  ['the type alone', '0x02'],
  ['a length that is cut off', '0x02f8'],
  ['a length with a leading zero', '0x02f90001'],
  ['a list longer than there is', '0x02c5'],
  ['a long length that the prefix had room for', '0x02f80101'],
])('leaves %s to the general reader', (_, hex) => {
  expect(readDynamicFeeTransaction(hexToBytes(hex as `0x${string}`))).toBeUndefined()
})
