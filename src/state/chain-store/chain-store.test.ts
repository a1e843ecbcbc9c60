import { describe, expect, it } from 'vitest'
import { touching } from '../../../test/support/naive-state.ts'
import { contentOf, NO_TRIE_NODES, reading, sealedBlock, withChain } from '../../../test/support/sealed-chain.ts'
import type { Log } from '../../chain/receipt/log.ts'
import { EMPTY_BYTES, ZERO_ADDRESS, ZERO_HASH } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { emptyDiff } from '../diff.ts'
import { ChainStore } from './chain-store.ts'
import type { TableName } from './encoding/tables.ts'

const log: Log = { address: ZERO_ADDRESS, topics: [bigintToHash(1n)], data: Uint8Array.from([1, 2]) }

describe('ChainStore: blocks', () => {
  it('returns blocks, receipts and their locations, also after reopening', () =>
    withChain(async (temporary) => {
      const written = [sealedBlock(0)]
      const logs = [[log], [], Array.from({ length: 20 }, (_, index) => ({ ...log, data: Uint8Array.from([index]) }))]
      written.push(sealedBlock(1, written[0]!.block.hash, logs))
      for (const { block, receipts } of written) {
        await temporary.chain.append({ block, receipts, diff: emptyDiff(), trieNodes: NO_TRIE_NODES })
      }
      const check = () =>
        reading(temporary.chain, (snapshot) => {
          expect(temporary.chain.newest()).toEqual({ number: 1, hash: written[1]!.block.hash })
          for (const [number, { block, receipts }] of written.entries()) {
            expect(plain(snapshot.header(number))).toEqual(plain(block.header))
            expect(plain(snapshot.block(number))).toEqual(plain(block))
            expect(plain(snapshot.receipts(number))).toEqual(plain(receipts))
            expect(snapshot.blockNumber(block.hash)).toBe(number)
            for (const [index, { hash }] of block.transactions.entries()) {
              expect(snapshot.transactionLocation(hash)).toEqual({ blockNumber: number, index })
            }
            expect(snapshot.stateAt(1)!.blockHash(number)).toBe(block.hash)
          }
          expect(snapshot.block(1)).toBe(snapshot.block(1))
          for (const number of [-1, 2, 0.5]) {
            expect([snapshot.header(number), snapshot.block(number), snapshot.receipts(number)]).toEqual([
              undefined,
              undefined,
              undefined,
            ])
            expect(snapshot.stateAt(number)).toBeUndefined()
          }
          expect(snapshot.blockNumber(ZERO_HASH)).toBeUndefined()
          expect(snapshot.transactionLocation(ZERO_HASH)).toBeUndefined()
          expect(snapshot.stateAt(0)!.blockHash(1)).toBe(ZERO_HASH)
          expect(snapshot.stateAt(1)!.code(ZERO_HASH)).toEqual(EMPTY_BYTES)
        })
      check()
      await temporary.reopen()
      check()
    }))

  it('does not evict others for a block larger than the cache', () =>
    withChain(
      async (temporary) => {
        await temporary.append({ logs: [[log]] })
        await temporary.append({ logs: Array.from({ length: 100 }, () => [log]) })
        reading(temporary.chain, (snapshot) => {
          const [block, receipts] = [snapshot.block(0), snapshot.receipts(0)]
          expect(snapshot.block(1)!.transactions).toHaveLength(100)
          expect(snapshot.receipts(1)).toHaveLength(100)
          expect(snapshot.block(0)).toBe(block)
          expect(snapshot.receipts(0)).toBe(receipts)
        })
      },
      { history: 'all', cacheBytes: 4_000 },
    ))

  it('hides later blocks from a snapshot, and serves it until its last owner releases it', () =>
    withChain(async (temporary) => {
      await temporary.append({ logs: [[log]] })
      const genesis = temporary.chain.snapshot()
      const later = await temporary.append({ logs: [[log]] })
      expect(genesis.number).toBe(0)
      expect(genesis.block(1)).toBeUndefined()
      expect(genesis.blockNumber(later.hash)).toBeUndefined()
      expect(genesis.transactionLocation(later.transactions[0]!.hash)).toBeUndefined()
      expect([...genesis.logs({ addresses: [], topics: [] }, 0, 9)]).toHaveLength(1)
      genesis.retain()
      genesis.release()
      expect(genesis.header(0)).toBeDefined()
      genesis.release()
      expect(() => genesis.header(0)).toThrow(expect.objectContaining({ code: 'SNAPSHOT_RELEASED' }))
      expect(temporary.store.statistics().snapshots).toBe(0)
    }))

  it('rejects a block out of order and stays unchanged', () =>
    withChain(async (temporary) => {
      const { chain } = temporary
      expect(chain.newest()).toBeUndefined()
      expect(() => chain.snapshot()).toThrow(expect.objectContaining({ code: 'BLOCK_OUT_OF_ORDER' }))
      const append = (written: ReturnType<typeof sealedBlock>) =>
        chain.append({ ...written, diff: touching(5n), trieNodes: NO_TRIE_NODES })
      await expect(append(sealedBlock(1))).rejects.toMatchObject({ code: 'BLOCK_OUT_OF_ORDER' })
      const genesis = sealedBlock(0)
      await append(genesis)
      const before = contentOf(temporary.store)
      for (const refused of [sealedBlock(0), sealedBlock(2, genesis.block.hash), sealedBlock(1, ZERO_HASH)]) {
        await expect(append(refused)).rejects.toMatchObject({ code: 'BLOCK_OUT_OF_ORDER' })
      }
      expect(contentOf(temporary.store)).toEqual(before)
      // Appends without awaiting are serialised.
      const first = sealedBlock(1, genesis.block.hash)
      await Promise.all([append(first), append(sealedBlock(2, first.block.hash))])
      expect(chain.newest()!.number).toBe(2)
    }))

  it('yields while it assembles a large block', () =>
    withChain(async (temporary) => {
      let turns = 0
      const chain = new ChainStore(
        { history: 'all' },
        {
          store: temporary.store,
          yieldTurn: async () => {
            turns += 1
          },
        },
      )
      const { block, receipts } = sealedBlock(
        0,
        ZERO_HASH,
        Array.from({ length: 1_000 }, () => [log]),
      )
      await chain.append({ block, receipts, diff: emptyDiff(), trieNodes: NO_TRIE_NODES })
      expect(turns).toBeGreaterThanOrEqual(4)
    }))
})

describe('ChainStore: damage', () => {
  it.each(['headers', 'bodies', 'receipts', 'logs', 'changes'] as const)('detects any flipped byte in %s', (table) =>
    withChain(
      async (temporary) => {
        await temporary.append({ diff: touching(1n) })
        await temporary.append({ logs: [[log], [log]], diff: touching(2n) })
        const { store } = temporary
        const { key, value } = withSnapshot(store, (reader) => [...reader.range(table)].at(-1)!)
        for (let position = 0; position < value.length; position++) {
          const damaged = Uint8Array.from(value)
          damaged[position]! ^= 0x10
          await write(store, table, key, damaged)
          expect(() => everyRead(temporary.chain)).toThrow(
            expect.objectContaining({
              code: 'CORRUPT_VALUE',
              table,
              key,
              message: expect.stringContaining(Buffer.from(key).toString('hex')),
            }),
          )
        }
        await write(store, table, key, Uint8Array.from(value.subarray(0, 3)))
        expect(() => everyRead(temporary.chain)).toThrow(expect.objectContaining({ code: 'CORRUPT_VALUE' }))
        await write(store, table, key, value)
        everyRead(temporary.chain)
      },
      { history: 'all', cacheBytes: 0 },
    ),
  )
})

/** Buffers and plain byte arrays are equivalent here. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member) => {
      if (typeof member === 'bigint') return `${member}n`
      return member?.type === 'Buffer' ? member.data : member instanceof Uint8Array ? [...member] : member
    }),
  )
}

function everyRead(chain: ChainStore): void {
  reading(chain, (snapshot) => {
    snapshot.block(snapshot.number)
    snapshot.receipts(snapshot.number)
    snapshot.reverseDiff(snapshot.number)
    for (const _ of snapshot.logs({ addresses: [], topics: [] }, 0, snapshot.number));
  })
}

function write(store: KeyValueStore<TableName>, table: TableName, key: Uint8Array, value: Uint8Array): Promise<void> {
  const batch = new WriteBatch<TableName>()
  batch.put(table, key, value)
  return store.commit(batch)
}
