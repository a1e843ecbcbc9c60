import { expect, test } from 'vitest'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import { withChain } from '../../../../test/support/sealed-chain.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import { decodeSnapshotPart, encodeSnapshotPart } from '../../records/snapshot-part.ts'
import { TrieNodeCache } from '../../trie/node-cache.ts'
import { ChainStore } from '../chain-store.ts'
import { ChainTransfer, clearChain, isTransferUnfinished } from './chain-takeover.ts'

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
      expect(isTransferUnfinished(store)).toBe(true)
      await transfer.finish({ oldestBlock: 2 })
      expect(isTransferUnfinished(store)).toBe(false)
      const taken = new ChainStore({ history: 'all' }, { store }).snapshot()
      expect(taken.block(3)).toEqual(base.block(3))
      expect(taken.receipts(2)).toEqual(base.receipts(2))
      const sender = base.block(3)!.transactions[0]!.from
      expect(taken.stateAt(3)!.account(sender)).toEqual(base.stateAt(3)!.account(sender))
      expect(() => taken.stateAt(2)).toThrow(expect.objectContaining({ code: 'STATE_PRUNED' }))
      expect(() => taken.block(1)).toThrow(expect.objectContaining({ code: 'BLOCK_PRUNED' }))
      expect(() => [...taken.logs({ addresses: [], topics: [] }, 0, 3)]).toThrow(/ask for block 2 or later/)
      taken.release()
      await clearChain(store)
      expect(new ChainStore({ history: 'all' }, { store }).newest()).toBeUndefined()
      expect(isTransferUnfinished(store)).toBe(false)
    })
  }
  await node.stop()
})
