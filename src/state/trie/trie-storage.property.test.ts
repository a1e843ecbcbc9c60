import { createMPT } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/support/runs.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { type Bytes, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import type { TrieNodeSource } from '../trie-node-source.ts'
import type { NodeReference } from './branch-encoding.ts'
import { rootHash, rootReference, type TrieNode, unresolvedNode } from './node.ts'
import { TrieNodeCache } from './node-cache.ts'
import { nodeProof } from './node-proof.ts'
import { readNode } from './node-reading.ts'
import { type NodeWriteTarget, nodeWrites } from './node-writes.ts'
import type { TrieContext } from './trie-context.ts'
import { lookUp, update, valueChange } from './update.ts'

/** Unhashed keys, so that short paths create extensions and embedded nodes, which are rare with hashed keys. */
const itself = (value: Bytes) => value
const PREFIX = new Uint8Array([7])

interface Version {
  readonly root: TrieNode<Bytes> | undefined
  readonly context: TrieContext<Bytes>
}

function contextOf(source: TrieNodeSource, cache: TrieNodeCache, version: number, stored: number): TrieContext<Bytes> {
  const resolve = (reference: NodeReference, path: string, depth: number) =>
    readNode({ source, cache }, reference, PREFIX, path, depth, itself)
  return { version, stored, encode: itself, resolve }
}

function writesBetween(after: Version, before: Version, cache?: TrieNodeCache): NodeWriteTarget {
  const target: NodeWriteTarget = { puts: [], deletes: [], cache }
  for (const _ of nodeWrites(after, before, PREFIX, target));
  return target
}

class NodeMap {
  readonly nodes: Map<string, Bytes>

  constructor(nodes = new Map<string, Bytes>()) {
    this.nodes = nodes
  }

  after({ puts, deletes }: NodeWriteTarget): NodeMap {
    const nodes = new Map(this.nodes)
    for (const key of deletes) {
      if (!nodes.delete(bytesToHex(key))) throw new Error(`${bytesToHex(key)} is deleted and was not there`)
    }
    for (const [key, node] of puts) nodes.set(bytesToHex(key), node)
    return new NodeMap(nodes)
  }

  inHex(): Map<string, string> {
    return new Map([...this.nodes].map(([key, node]) => [key, bytesToHex(node)]))
  }

  node(key: Bytes): Bytes | undefined {
    return this.nodes.get(bytesToHex(key))
  }
}

/** Few distinct nibbles, so that paths are often shared, split and collapsed. */
function keys(length: number): fc.Arbitrary<string> {
  const digit = fc.constantFrom('0', '0', '0', '1', 'f')
  return fc.array(digit, { minLength: length, maxLength: length }).map((digits) => digits.join(''))
}

const values = fc.oneof(
  { weight: 3, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 30, maxLength: 70 }) },
)

function scripts(length: number) {
  const change = fc.record({ key: keys(length), value: fc.option(values, { nil: undefined, freq: 2 }) })
  const step = fc.record({
    changes: fc.uniqueArray(change, { selector: ({ key }) => key, maxLength: 12 }),
    next: fc.constantFrom('nothing', 'commit', 'commit', 'reopen', 'forget'),
    /** Number of updates by which the stored trie lags. */
    lag: fc.nat({ max: 3 }),
  })
  return fc.array(step, { minLength: 1, maxLength: 12 })
}

describe('a trie in storage', () => {
  for (const length of [2, 6, 64]) {
    it(`agrees with another implementation and stores nothing else (keys of ${length} nibbles)`, async () => {
      await fc.assert(
        fc.asyncProperty(scripts(length), async (steps) => {
          let cache = new TrieNodeCache({ bytes: 2 ** 14 })
          let map = new NodeMap()
          let store = { version: 0, map }
          const model = new Map<string, Bytes>()
          const versions = [
            {
              root: undefined as TrieNode<Bytes> | undefined,
              map,
              stored: 0,
              hash: EMPTY_TRIE_ROOT as string,
              model: new Map(model),
            },
          ]
          const oracle = await createMPT()
          for (const { changes, next, lag } of steps) {
            const before = versions.at(-1)!
            const context = contextOf(before.map, cache, versions.length, before.stored)
            const root = update(
              before.root,
              changes.map(({ key, value }) => valueChange(key, value)),
              context,
            )
            for (const { key, value } of changes) {
              if (value === undefined) {
                await oracle.del(hexToBytes(`0x${key}`))
                model.delete(key)
              } else {
                await oracle.put(hexToBytes(`0x${key}`), value)
                model.set(key, value)
              }
            }
            const hash = rootHash(root, itself)
            expect(hash).toBe(bytesToHex(oracle.root()))
            let newest = { root, map: before.map, stored: before.stored, hash, model: new Map(model) }
            versions.push(newest)
            if (next === 'forget') cache = new TrieNodeCache({ bytes: 2 ** 14 })
            if (next === 'nothing' || next === 'forget') continue
            const number = Math.max(store.version, versions.length - 1 - lag)
            const sealed = versions[number]!
            const old = versions[store.version]!
            map = store.map.after(
              writesBetween(
                { root: sealed.root, context: contextOf(sealed.map, cache, number, sealed.stored) },
                { root: old.root, context: contextOf(old.map, cache, store.version, old.stored) },
                cache,
              ),
            )
            store = { version: number, map }
            const stored = sealed.root && rootReference(sealed.root, itself)
            // Nothing is missing and nothing is left over.
            expect(map.inHex()).toEqual(await oracleNodes(sealed.model))
            const isNewest = number === versions.length - 1
            if (next === 'reopen' && isNewest) newest = { ...newest, root: stored && unresolvedNode(stored) }
            versions[versions.length - 1] = { ...newest, map, stored: number }
          }
          cache = new TrieNodeCache({ bytes: 2 ** 14 })
          for (const version of versions) {
            const context = contextOf(version.map, cache, versions.length, version.stored)
            for (const key of [...version.model.keys(), ...model.keys()]) {
              expect(hexOf(lookUp(version.root, key, context))).toBe(hexOf(version.model.get(key)))
            }
            expect(rootHash(version.root, itself)).toBe(version.hash)
          }
          const newest = versions.at(-1)!
          for (const key of [...model.keys(), '0'.repeat(length), 'f'.repeat(length), '01'.repeat(length / 2)]) {
            const proof = nodeProof(newest.root, key, contextOf(newest.map, cache, versions.length, newest.stored))
            expect(proof.map(bytesToHex)).toEqual(
              newest.root === undefined ? [] : (await oracleProof(oracle, hexToBytes(`0x${key}`))).map(bytesToHex),
            )
          }
        }),
        { numRuns: propertyRuns(100) },
      )
    })
  }
})

/** The nodes that are not embedded, by path. */
async function oracleNodes(model: ReadonlyMap<string, Bytes>): Promise<Map<string, string>> {
  const trie = await createMPT()
  for (const [key, value] of model) await trie.put(hexToBytes(`0x${key}`), value)
  const nodes = new Map<string, string>()
  if (model.size === 0) return nodes
  await trie.walkTrie(trie.root(), (_, node, path, controller) => {
    if (node === null) return
    const encoded = node.serialize()
    if (path.length === 0 || encoded.length >= 32)
      nodes.set(bytesToHex(Uint8Array.of(...PREFIX, ...path)), bytesToHex(encoded))
    controller.allChildren(node, path)
  })
  return nodes
}

function hexOf(bytes: Bytes | undefined): string | undefined {
  return bytes && bytesToHex(bytes)
}

async function oracleProof(oracle: Awaited<ReturnType<typeof createMPT>>, key: Bytes): Promise<readonly Bytes[]> {
  const { stack } = await oracle.findPath(key)
  return stack.map((node) => node.serialize()).filter((node, index) => index === 0 || node.length >= 32)
}
