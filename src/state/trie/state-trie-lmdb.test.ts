import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { accountsFrom } from '../../../test/support/stored-trie-nodes.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { TrieNodeCache } from './node-cache.ts'
import { createStateTrie, openStateTrie } from './state-trie.ts'

describe('StateTrie on LMDB', () => {
  const path = mkdtempSync(join(tmpdir(), 'tickertape-trie-'))
  afterAll(() => rmSync(path, { recursive: true, force: true }))

  it('has the same roots as one in memory, through commits and a restart', async () => {
    let store = openLmdbStore({ path, tables: ['trieNodes'], sync: false })
    const keyOf = (key: Bytes) => Buffer.concat([Uint8Array.of(0), key])
    const open = () => {
      const snapshot = store.snapshot()
      return { node: (key: Bytes) => snapshot.get('trieNodes', keyOf(key)), release: () => snapshot.release() }
    }
    let source = open()
    const cache = new TrieNodeCache({ bytes: 2 ** 20 })
    let inMemory = createStateTrie()
    let trie = createStateTrie().withSource(source, undefined, cache)
    let stored = trie
    for (let round = 0; round < 40; round++) {
      const diff = accountsFrom((round * 37) % 300, ((round * 37) % 300) + 60, BigInt(round + 1))
      trie = trie.apply(diff)
      inMemory = inMemory.apply(diff)
      expect(trie.root).toBe(inMemory.root)
      if (round % 3 !== 2) continue
      const batch = new WriteBatch<'trieNodes'>()
      const { puts, deletes } = trie.writesSince(stored)
      for (const key of deletes) batch.delete('trieNodes', keyOf(key))
      for (const [key, node] of puts) batch.put('trieNodes', keyOf(key), node)
      await store.commit(batch)
      const before = source
      if (round === 20) {
        before.release()
        await store.close()
        store = openLmdbStore({ path, tables: ['trieNodes'], sync: false })
        source = open()
        trie = openStateTrie(trie.root, source)
      } else {
        source = open()
        trie = trie.withSource(source)
        before.release()
      }
      stored = openStateTrie(trie.root, source, cache)
    }
    source.release()
    await store.close()
  })
})
