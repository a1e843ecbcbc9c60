import { expect, test } from 'vitest'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import { withChain } from '../../../../test/support/sealed-chain.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import { withSnapshot } from '../../../storage/key-value.ts'
import { decodeSnapshotPart, encodeSnapshotPart } from '../../records/snapshot-part.ts'
import { TrieNodeCache } from '../../trie/node-cache.ts'
import { ChainStore } from '../chain-store.ts'
import { awaitedRecords, beginAnew, ChainTransfer, dropReplacedRecords, transferredPool } from './chain-transfer.ts'

test('rebuilds the same state and root from chunks, wherever it is cut', async () => {
  const { node, nextBlock } = await startManualNode()
  for (let nonce = 0n; nonce < 3n; nonce++) {
    await node.submit(signTransfer({ nonce }).raw)
    await nextBlock()
  }
  await node.idle()
  const { base } = node.view().head
  for (const partBytes of [1, 1_000, 50_000, 2 ** 24]) {
    await withChain(async ({ store }) => {
      const transfer = await ChainTransfer.begin({ number: 3 }, { store, cache: new TrieNodeCache() })
      let parts = 0
      for (const diff of base.stateParts(partBytes)) {
        const part = decodeSnapshotPart(encodeSnapshotPart({ kind: 'state', diff }))
        if (part.kind !== 'state') throw new Error(part.kind)
        await transfer.addState(part.diff)
        parts += 1
      }
      expect(transfer.trie.root).toBe(base.header(3)!.stateRoot)
      if (partBytes === 1) expect(parts).toBeGreaterThan(20)
      if (partBytes === 2 ** 24) expect(parts).toBe(1)
      for (const number of [2, 3]) await transfer.addBlock(base.block(number)!, base.receipts(number)!)
      expect(new ChainStore({ history: 'all' }, { store }).newest()).toBeUndefined()
      await transfer.finish({ oldestBlock: 2 })
      const taken = new ChainStore({ history: 'all' }, { store }).snapshot()
      expect(taken.block(3)).toEqual(base.block(3))
      expect(taken.receipts(2)).toEqual(base.receipts(2))
      const sender = base.block(3)!.transactions[0]!.from
      expect(taken.stateAt(3)!.account(sender)).toEqual(base.stateAt(3)!.account(sender))
      expect(() => taken.stateAt(2)).toThrow(expect.objectContaining({ code: 'STATE_PRUNED' }))
      expect(() => taken.block(1)).toThrow(expect.objectContaining({ code: 'BLOCK_PRUNED' }))
      expect(() => [...taken.logs({ addresses: [], topics: [] }, 0, 3)]).toThrow(/ask for block 2 or later/)
      taken.release()
    })
  }
  await node.stop()
})

test('readers and snapshots have the old chain until a transfer is complete, then all of the new one', () =>
  withChain(async (temporary) => {
    const { chain, store } = temporary
    for (let block = 0; block < 4; block++) await temporary.append()
    const pinned = chain.snapshot()
    const pool = { from: 9, records: [{ kind: 'pool', transactions: [] } as const] }
    const transfer = await ChainTransfer.begin({ number: 1 }, { store })
    const blocks = [0, 1].map((number) => pinned.block(number)!)
    for (const block of blocks) await transfer.addBlock(block, [])
    expect(chain.newest()?.number).toBe(3)
    await transfer.finish({ oldestBlock: 1, pool, recordsFrom: 9 })

    expect(chain.newest()?.number).toBe(1)
    expect(withSnapshot(store, transferredPool)).toEqual(pool)
    expect(pinned.block(3)?.header.number).toBe(3)
    pinned.release()
    await temporary.reopen()
    expect(temporary.chain.newest()?.number).toBe(1)
  }))

test('an interrupted transfer leaves the old chain, and the next one begins with nothing', () =>
  withChain(async (temporary) => {
    for (let block = 0; block < 4; block++) await temporary.append()
    const other = temporary.chain.snapshot().block(3)!
    const interrupted = await ChainTransfer.begin({ number: 3 }, { store: temporary.store })
    await interrupted.addBlock(other, [])
    await temporary.reopen()

    expect(temporary.chain.newest()?.number).toBe(3)
    const { store } = temporary
    await beginAnew(
      store,
      async (tables) => expect(withSnapshot(tables, (reader) => [...reader.range('headers')])).toEqual([]),
      1,
    )
    expect(temporary.chain.newest()).toBeUndefined()
    await temporary.append()
    expect(temporary.chain.newest()?.number).toBe(0)
  }))

test('the records of a replaced chain are dropped once, also by the start after a kill', () =>
  withChain(async ({ store }) => {
    const firsts: number[] = []
    const reset = async (first: number) => void firsts.push(first)
    await dropReplacedRecords(store, reset)
    await beginAnew(store, async () => {}, 7)
    expect(withSnapshot(store, awaitedRecords)).toBe(7)
    await expect(dropReplacedRecords(store, () => Promise.reject(new Error('killed')))).rejects.toThrow('killed')
    await dropReplacedRecords(store, reset)
    await dropReplacedRecords(store, reset)

    expect(firsts).toEqual([7])
    expect(withSnapshot(store, awaitedRecords)).toBeUndefined()
  }))
