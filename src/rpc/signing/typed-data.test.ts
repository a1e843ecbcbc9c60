import { hashTypedData } from 'viem'
import { expect, test } from 'vitest'
import { bytesToHex } from '../../primitives/hex.ts'
import { InvalidValueError } from '../codecs/codec.ts'
import { typedDataHash } from './typed-data.ts'
import { typedData } from './typed-data-codec.ts'

const MAIL = {
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[]' },
      { name: 'contents', type: 'string' },
      { name: 'amounts', type: 'uint8[2][]' },
      { name: 'offset', type: 'int16' },
      { name: 'isUrgent', type: 'bool' },
      { name: 'tag', type: 'bytes4' },
      { name: 'body', type: 'bytes' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: `0x${'cc'.repeat(20)}` },
  message: {
    from: { name: 'Cow', wallet: `0x${'cd'.repeat(20)}` },
    to: [{ name: 'Bob', wallet: `0x${'bb'.repeat(20)}` }],
    contents: 'Hello, Bob! ✓',
    amounts: [
      [1, 2],
      [3, 4],
    ],
    offset: -5,
    isUrgent: true,
    tag: '0x01020304',
    body: '0xabcdef',
  },
} as const

function hashOf(data: unknown): string {
  return bytesToHex(typedDataHash(typedData.decode(data)))
}

test('hashes structs, arrays, atoms and the domain as viem does', () => {
  // viem's type derives from the types, which are constants here.
  expect(hashOf(MAIL)).toBe(hashTypedData(MAIL as never))
})

test('accepts the data as JSON in a string, and a declared domain type', () => {
  const declared = {
    ...MAIL,
    types: {
      ...MAIL.types,
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
    },
  }

  expect(hashOf(JSON.stringify(declared))).toBe(hashOf(MAIL))
})

test('accepts integers as numbers, decimal strings and hex strings', () => {
  const of = (offset: unknown) => hashOf({ ...MAIL, message: { ...MAIL.message, offset } })

  expect(of('5')).toBe(of(5))
  expect(of('0x5')).toBe(of(5))
  expect(of('-5')).toBe(hashOf(MAIL))
})

test.each([
  [{ primaryType: 'Letter' }, 'the type Letter is not defined'],
  [{ message: { ...MAIL.message, offset: 40_000 } }, 'message.offset: 40000 does not fit in 16 bits'],
  [{ message: { ...MAIL.message, amounts: [[1]] } }, 'message.amounts[0]: 1 entries, want 2'],
  [{ message: { ...MAIL.message, from: 'Cow' } }, 'message.from: expected an object, got a string'],
  [{ message: { ...MAIL.message, tag: '0x01' } }, 'message.tag: 1 bytes, want 4'],
  [{ types: { ...MAIL.types, Person: [{ name: 'name', type: 'word' }] } }, 'the type word is not defined'],
])('rejects %j', (change, message) => {
  expect(() => hashOf({ ...MAIL, ...change })).toThrow(InvalidValueError)
  try {
    hashOf({ ...MAIL, ...change })
  } catch (error) {
    expect((error as InvalidValueError).text).toContain(message)
  }
})

test('rejects a message that is nested too deeply instead of exhausting the stack', () => {
  const types = { Node: [{ name: 'next', type: 'Node' }] }
  const deep = `${'{"next":'.repeat(5_000)}{}${'}'.repeat(5_000)}`
  const text = `{"types":${JSON.stringify(types)},"primaryType":"Node","domain":{},"message":${deep}}`

  expect(() => hashOf(text)).toThrow('more than 64 levels')
})
