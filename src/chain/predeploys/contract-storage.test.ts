import { expect, test } from 'vitest'
import { toAddress } from '../../primitives/hex.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { contractStorage, mappingSlot } from './contract-storage.ts'

const LAYOUT = [
  { label: 'text', slot: '0', offset: 0, type: 't_string_storage' },
  { label: 'small', slot: '1', offset: 0, type: 't_uint8' },
  { label: 'owner', slot: '1', offset: 1, type: 't_address' },
]

test('packs variables that share a slot', () => {
  const storage = contractStorage(LAYOUT, { owner: 0xabn, small: 6n })
  expect([...storage]).toEqual([[bigintToSlot(1n), 0xab06n]])
})

test('has no entry for a zero, unless it shares the slot with another value', () => {
  expect(contractStorage(LAYOUT, { owner: 0n }).size).toBe(0)
  expect([...contractStorage(LAYOUT, { owner: 0n, small: 6n })]).toEqual([[bigintToSlot(1n), 6n]])
})

test('left-aligns a short string with twice its length at the end', () => {
  const [word] = contractStorage(LAYOUT, { text: 'ab' }).values()
  expect(word!.toString(16)).toBe(`6162${'00'.repeat(29)}04`)
})

test('accepts 31 bytes and rejects 32', () => {
  expect(contractStorage(LAYOUT, { text: 'x'.repeat(31) }).size).toBe(1)
  expect(() => contractStorage(LAYOUT, { text: 'x'.repeat(32) })).toThrow(RangeError)
})

test('rejects a variable that the layout lacks', () => {
  expect(() => contractStorage(LAYOUT, { missing: 1n })).toThrow('no variable missing')
})

test('finds the entry of a mapping at the hash of key and slot', () => {
  // keccak256(abi.encode(address(0), 0))
  expect(mappingSlot(toAddress(`0x${'00'.repeat(20)}`), bigintToSlot(0n))).toBe(
    '0xad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5',
  )
})
