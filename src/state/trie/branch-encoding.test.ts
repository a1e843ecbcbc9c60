import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_BYTES, bytesToHex as hexOf } from '../../primitives/hex.ts'
import { decodeRlp, encodeRlp } from '../../primitives/rlp.ts'
import { encodeBranch, type NodeReference } from './branch-encoding.ts'

const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const shortNodes = fc.uint8Array({ maxLength: 26 }).map((value) => encodeRlp([Uint8Array.of(0x20), value]))
const children = fc.array(fc.option(fc.oneof(hashes, shortNodes)), { minLength: 16, maxLength: 16 })

/** From the definition: a list of 17 items; short nodes are embedded lists. */
function wholeBranch(references: readonly (NodeReference | null)[]): Uint8Array {
  const items = references.map((reference) => {
    if (reference === null) return EMPTY_BYTES
    return reference.length === 32 ? reference : decodeRlp(reference)
  })
  return encodeRlp([...items, EMPTY_BYTES])
}

describe('encodeBranch', () => {
  it('encodes a branch from nothing', () => {
    fc.assert(
      fc.property(children, (all) => {
        expect(hexOf(encodeBranch(undefined, all))).toBe(hexOf(wholeBranch(all)))
      }),
    )
  })

  it('replaces any children of another branch, which does not change', () => {
    fc.assert(
      fc.property(
        children,
        children,
        fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }),
        (old, others, isReplaced) => {
          const before = wholeBranch(old)
          const replaced = others.map((other, index) => (isReplaced[index] ? other : undefined))
          const expected = old.map((child, index) => (isReplaced[index] ? others[index]! : child))
          expect(hexOf(encodeBranch(before, replaced))).toBe(hexOf(wholeBranch(expected)))
          expect(before).toEqual(wholeBranch(old))
        },
      ),
    )
  })
})
