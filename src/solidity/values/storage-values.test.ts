import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { compiledContracts } from '../../../test/debugger/solidity-fixtures.ts'
import { bytesOfDigits, numberOfBytes } from '../bytecode/portable-bytes.ts'
import { StorageNames, storageValues } from './storage-names.ts'

const [STORED] = compiledContracts({
  'Stored.sol': 'contract Stored { uint64[5] flags; uint64[] packed; bytes data; string name; }',
})
const names = new StorageNames(STORED!.facts.storageLayout!, [])
const hash = (slot: number) => numberOfBytes(keccak_256(bytesOfDigits(slot.toString(16).padStart(64, '0'))!))

function shown(slot: bigint, word: bigint, lengths: ReadonlyMap<bigint, bigint> = new Map()): readonly string[] {
  return storageValues(names.placesIn(slot), word, (at) => lengths.get(at)).map(({ name, text }) => `${name} = ${text}`)
}

test('an array of fixed size has no items behind its end', () => {
  expect(shown(1n, 7n)).toEqual(['flags[4] = 7'])
})

test('a dynamic array has no items behind its length, if the transaction read that', () => {
  const slot = hash(2) + 1n

  expect(shown(slot, 3n << 64n, new Map([[2n, 6n]]))).toEqual(['packed[4] = 0', 'packed[5] = 3'])
  expect(shown(slot, 3n << 64n)).toHaveLength(4)
})

test('parts of long bytes are hex with all zeros, the last one as long as it is', () => {
  const lengths = new Map([[3n, 2n * 40n + 1n]])
  const word = 0x6162n << 240n

  expect(shown(hash(3), word, lengths)).toEqual([`data = 0x6162${'00'.repeat(30)}`])
  expect(shown(hash(3) + 1n, word, lengths)).toEqual([`data = 0x6162${'00'.repeat(6)}`])
  expect(shown(hash(3) + 1n, word)).toEqual([`data = 0x6162${'00'.repeat(30)}`])
})

test('the last part of a long text ends with it', () => {
  const word = 0x61620063n << 224n

  expect(shown(hash(4) + 1n, word, new Map([[4n, 2n * 34n + 1n]]))).toEqual(['name = "ab"'])
  expect(shown(hash(4) + 1n, 0x6162n << 240n)).toEqual(['name = "ab"'])
})
