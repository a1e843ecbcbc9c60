import { expect, test } from 'vitest'
import { address, stateOf } from '../../../../test/support/engine-fixture.ts'
import { bigintToSlot } from '../../../primitives/quantity.ts'
import type { StateReader } from '../../state-reader.ts'
import { cachingReader } from './caching-reader.ts'

test('reads everything once, including absent accounts and empty slots, and is emptied beyond its limit', () => {
  const state = stateOf({ balances: { [address(1)]: 5n } })
  const reads: string[] = []
  const counted: StateReader = {
    account(who) {
      reads.push(who)
      return state.account(who)
    },
    storage(who, slot) {
      reads.push(who + slot)
      return state.storage(who, slot)
    },
    hasStorage: (who) => state.hasStorage(who),
    code: (hash) => state.code(hash),
    blockHash: (number) => state.blockHash(number),
  }
  const reader = cachingReader(counted, 2)
  for (let round = 0; round < 2; round++) {
    expect(reader.account(address(1))?.balance).toBe(5n)
    expect(reader.account(address(2))).toBeUndefined()
    expect(reader.storage(address(1), bigintToSlot(3n))).toBe(0n)
  }
  expect(reads.length).toBe(3)
  reader.account(address(3))
  reader.account(address(1))
  expect(reads.length).toBe(5)
  expect(reader.code(state.account(address(1))!.codeHash)).toEqual(state.code(state.account(address(1))!.codeHash))
  expect(reader.blockHash(3)).toBe(state.blockHash(3))
})
