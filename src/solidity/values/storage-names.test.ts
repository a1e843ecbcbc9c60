import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { compiledStorage } from '../../../test/debugger/solidity-fixtures.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { bytesOfDigits, numberOfBytes } from '../bytecode/portable-bytes.ts'
import { StorageNames, storageValue } from './storage-names.ts'

const LAYOUT = compiledStorage(`
  type Price is uint128;
  enum Side { Buy, Sell }
  struct Order { Price price; Side side; uint256[2] fees; }
  uint8 small; bool flag; address owner;
  mapping(address => mapping(uint256 => Order)) orders;
  uint64[] packed;
  Order[] history;
  string name;
`)
const KEY = '11'.repeat(20)
const word = (value: bigint | number) => value.toString(16).padStart(64, '0')
const bytes = (digits: string): Bytes => bytesOfDigits(digits)!
const hash = (digits: string) => numberOfBytes(keccak_256(bytes(digits)))

// orders is in slot 1, packed in 2, history in 3, name in 4.
const outer = `${KEY.padStart(64, '0')}${word(1)}`
const inner = `${word(7)}${word(hash(outer))}`
const names = new StorageNames(LAYOUT, [bytes(outer), bytes(inner)])
const shown = (slot: bigint, value: bigint) =>
  names.placesIn(slot).map((place) => `${place.path} = ${storageValue(place, value).text}`)

test('variables that share a slot are told apart', () => {
  const value = BigInt(`0x${'22'.repeat(20)}01fe`)
  expect(shown(0n, value)).toEqual(['small = 254', 'flag = true', `owner = 0x${'22'.repeat(20)}`])
})

test('keys of nested mappings are those that were hashed, and members of structs have names', () => {
  const slot = hash(inner)
  expect(shown(slot, (1n << 128n) | 5n)).toEqual([`orders[0x${KEY}][7].price = 5`, `orders[0x${KEY}][7].side = 1`])
  expect(shown(slot + 2n, 9n)).toEqual([`orders[0x${KEY}][7].fees[1] = 9`])
  expect(shown(slot + 3n, 9n)).toEqual([])
})

test('items of arrays are numbered, also where the compiler hashed the slot', () => {
  expect(shown(2n, 6n)).toEqual(['packed = 6 items'])
  expect(shown(hash(word(2)) + 1n, 3n << 64n)).toEqual([
    'packed[4] = 0',
    'packed[5] = 3',
    'packed[6] = 0',
    'packed[7] = 0',
  ])
  expect(shown(hash(word(3)) + 3n, 1n)).toEqual(['history[1].price = 1', 'history[1].side = 0'])
})

test('short texts are read, long ones are in slots of their own', () => {
  const short = numberOfBytes(bytes(`${Buffer.from('abc').toString('hex').padEnd(62, '0')}06`))
  expect(shown(4n, short)).toEqual(['name = "abc"'])
  expect(shown(4n, 81n)).toEqual(['name = 40 bytes'])
  expect(shown(hash(word(4)), numberOfBytes(bytes(Buffer.from('a'.repeat(32)).toString('hex'))))).toEqual([
    `name = "${'a'.repeat(32)}"`,
  ])
})

test('slots that no variable has are without a name', () => {
  expect(shown(99n, 1n)).toEqual([])
  expect(shown(2n ** 255n, 1n)).toEqual([])
})
