import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ADDRESSES, everythingIn, NaiveState, SLOTS, stateDiffs } from '../../test/support/naive-state.ts'
import { type Hash, ZERO_HASH } from '../primitives/hex.ts'
import { keccakHash } from '../primitives/keccak.ts'
import { layerReader } from './layered-reader.ts'
import type { StateReader } from './state-reader.ts'

describe('layerReader', () => {
  it('reads the base with the layers applied, oldest first', () => {
    fc.assert(
      fc.property(stateDiffs, fc.array(stateDiffs, { maxLength: 8 }), (first, diffs) => {
        const base = new NaiveState().after(first)
        const reader = layerReader(
          base,
          diffs.map((diff) => ({ diff })),
          new Map(),
        )
        const expected = everythingIn(diffs.reduce((state, diff) => state.after(diff), base))
        expect(everythingIn(reader)).toEqual(expected)
        expect(everythingIn(reader)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('visits every layer once per address, and the base only for what no layer wrote', () => {
    let lookups = 0
    const account = { nonce: 1n, balance: 2n, codeHash: ZERO_HASH }
    class CountedMap<K, V> extends Map<K, V> {
      override get(key: K): V | undefined {
        lookups++
        return super.get(key)
      }
    }
    const layers = Array.from({ length: 100 }, () => ({
      diff: {
        accounts: new CountedMap([[ADDRESSES[0]!, { account, storageCleared: true }]]),
        storage: new Map(),
        code: new Map(),
      },
    }))
    const unread: StateReader = {
      account: () => expect.fail('the base was read'),
      storage: () => expect.fail('the base was read'),
      hasStorage: () => expect.fail('the base was read'),
      code: () => expect.fail('the base was read'),
      blockHash: () => ZERO_HASH,
    }
    const reader = layerReader(unread, layers, new Map())
    expect(reader.account(ADDRESSES[0]!)).toBe(account)
    expect(reader.storage(ADDRESSES[0]!, SLOTS[0]!)).toBe(0n)
    expect(lookups).toBe(1)
    const overBase = layerReader(new NaiveState(), layers, new Map())
    lookups = 0
    for (const slot of SLOTS) overBase.storage(ADDRESSES[1]!, slot)
    expect(lookups).toBe(100)
  })

  it('knows the hashes of the blocks above the base, and those of the base', () => {
    const known = keccakHash(new Uint8Array([7]))
    const base: StateReader = {
      account: () => undefined,
      storage: () => 0n,
      hasStorage: () => false,
      code: () => new Uint8Array(0),
      blockHash: (number) => (number === 7 ? known : ZERO_HASH),
    }
    const above = keccakHash(new Uint8Array([8]))
    const reader = layerReader(base, [], new Map<number, Hash>([[8, above]]))
    expect([7, 8, 9].map((number) => reader.blockHash(number))).toEqual([known, above, ZERO_HASH])
  })
})
