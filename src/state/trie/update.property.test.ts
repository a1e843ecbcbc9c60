import { createMPT } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/support/runs.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { branchNode, rootHash, type TrieNode } from './node.ts'
import { memoryContext } from './trie-context.ts'
import { lookUp, update, valueChange } from './update.ts'

const itself = (value: Bytes) => value
const context = memoryContext(itself)
const change = (key: string, value: string | undefined) =>
  valueChange(key, value === undefined ? value : hexToBytes(value))

/** Few distinct nibbles, so that paths are often shared, split and collapsed. */
function keys(length: number): fc.Arbitrary<string> {
  const digit = fc.constantFrom('0', '0', '0', '1', 'f')
  return fc.array(digit, { minLength: length, maxLength: length }).map((digits) => digits.join(''))
}

/** Short values create nodes of less than 32 bytes, which are embedded. */
const values = fc.oneof(
  { weight: 3, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 30, maxLength: 70 }) },
)

function batches(length: number) {
  const one = fc.record({ key: keys(length), value: fc.option(values, { nil: undefined, freq: 2 }) })
  return fc.array(fc.uniqueArray(one, { selector: ({ key }) => key, maxLength: 12 }), { maxLength: 12 })
}

describe('update', () => {
  for (const length of [2, 4, 64]) {
    it(`has the roots and values of another implementation after every batch (keys of ${length} nibbles)`, async () => {
      await fc.assert(
        fc.asyncProperty(batches(length), async (steps) => {
          const oracle = await createMPT()
          const model = new Map<string, Bytes>()
          const versions: { node: TrieNode<Bytes> | undefined; root: string }[] = []
          let node: TrieNode<Bytes> | undefined
          for (const step of steps) {
            node = update(
              node,
              step.map(({ key, value }) => valueChange(key, value)),
              context,
            )
            for (const { key, value } of step) {
              if (value === undefined) {
                await oracle.del(hexToBytes(`0x${key}`))
                model.delete(key)
              } else {
                await oracle.put(hexToBytes(`0x${key}`), value)
                model.set(key, value)
              }
              expect(lookUp(node, key, context)).toBe(value)
            }
            const root = rootHash(node, itself)
            expect(root).toBe(bytesToHex(oracle.root()))
            versions.push({ node, root })
          }
          for (const [key, value] of model) expect(lookUp(node, key, context)).toBe(value)
          for (const version of versions)
            expect(rootHash(version.node && forgetHashes(version.node), itself)).toBe(version.root)
        }),
        { numRuns: propertyRuns(150) },
      )
    })
  }

  it('is empty again when all keys are deleted', () => {
    const full = update(undefined, [change('00', '0x01'), change('01', '0x02'), change('f0', '0x03')], context)
    const empty = update(full, [change('00', undefined), change('01', undefined), change('f0', undefined)], context)
    expect(empty).toBeUndefined()
    expect(rootHash(empty, itself)).toBe(EMPTY_TRIE_ROOT)
    expect(EMPTY_TRIE_ROOT).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
  })

  it('shares the nodes that a change does not affect', () => {
    const before = update(undefined, [change('00', '0x01'), change('10', '0x02'), change('20', '0x03')], context)
    const after = update(before, [change('10', '0x04')], context)
    if (before?.kind !== 'branch' || after?.kind !== 'branch') throw new Error('both begin with a branch')
    expect(after.children[0]).toBe(before.children[0])
    expect(after.children[1]).not.toBe(before.children[1])
    expect(after.children[2]).toBe(before.children[2])
  })

  it('finds nothing where a key leaves an extension or a leaf', () => {
    const node = update(undefined, [change('0000', '0x01'), change('0001', '0x02')], context)
    expect(lookUp(node, '0100', context)).toBeUndefined()
    expect(lookUp(node, '0002', context)).toBeUndefined()
    expect(lookUp(undefined, '0000', context)).toBeUndefined()
  })
})

/** A copy without cached hashes: shows that an old version did not change. */
function forgetHashes(node: TrieNode<Bytes>): TrieNode<Bytes> {
  switch (node.kind) {
    case 'leaf':
    case 'unresolved':
      return node
    case 'extension':
      return { ...node, child: forgetHashes(node.child) }
    case 'branch':
      return branchNode(
        node.children.map((child) => child && forgetHashes(child)),
        node.version,
      )
  }
}
