import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { TrieNodeCache } from './node-cache.ts'

const nodes = fc.array(fc.uint8Array({ minLength: 32, maxLength: 540 }), { maxLength: 200 })

describe('TrieNodeCache', () => {
  it('returns the node with the requested hash or nothing', () => {
    fc.assert(
      fc.property(nodes, (all) => {
        const cache = new TrieNodeCache({ bytes: 2 ** 15 })
        for (const node of all) {
          cache.put(keccak256(node), node)
          const found = cache.get(keccak256(node))
          expect(found && bytesToHex(found)).toBe(node.length <= 532 ? bytesToHex(node) : undefined)
        }
        for (const node of all) {
          const found = cache.get(keccak256(node))
          if (found !== undefined) expect(bytesToHex(found)).toBe(bytesToHex(node))
        }
      }),
    )
  })

  it('retains recently used nodes while others are added', () => {
    const cache = new TrieNodeCache({ bytes: 2 ** 16 })
    const hot = node(0)
    cache.put(keccak256(hot), hot)
    for (let index = 1; index < 20_000; index++) {
      cache.put(keccak256(node(index)), node(index))
      expect(cache.get(keccak256(hot))).toBeDefined()
    }
    expect(cache.get(keccak256(node(1)))).toBeUndefined()
    expect(cache.get(keccak256(node(19_999)))).toBeDefined()
  })

  it('keeps every node while it grows, and never exceeds its memory', () => {
    const cache = new TrieNodeCache({ bytes: 2 ** 23 })
    const added: Bytes[] = []
    const addUntil = (count: number) => {
      while (added.length < count) {
        const next = node(added.length)
        added.push(keccak256(next))
        cache.put(keccak256(next), next)
      }
    }
    const kept = () => added.filter((hash) => cache.get(hash) !== undefined).length
    for (const count of [1_000, 4_000, 9_000]) {
      addUntil(count)
      // A set of eight slots overflows now and then before half of all slots are used.
      expect(kept()).toBeGreaterThan(count * 0.98)
    }
    addUntil(60_000)
    // 45 % of 8 MiB in slots of 192 bytes with two marks.
    expect(kept()).toBeLessThanOrEqual((0.45 * 2 ** 23) / 200)
    expect(kept()).toBeGreaterThan((0.45 * 2 ** 23) / 220)
  })

  it('returns copies', () => {
    const cache = new TrieNodeCache({ bytes: 2 ** 16 })
    cache.put(keccak256(node(1)), node(1))
    cache.get(keccak256(node(1)))!.fill(0)
    expect(bytesToHex(cache.get(keccak256(node(1)))!)).toBe(bytesToHex(node(1)))
  })
})

function node(index: number): Bytes {
  const bytes = Buffer.alloc(100, 7)
  bytes.writeUInt32BE(index)
  return bytes
}
