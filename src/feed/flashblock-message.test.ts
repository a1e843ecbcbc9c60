import { expect, test } from 'vitest'
import { startManualNode } from '../../test/support/manual-node.ts'
import { signTransfer } from '../../test/support/transfers.ts'
import { bytesToHex } from '../primitives/hex.ts'
import { type FlashblockMessage, flashblockMessage } from './flashblock-message.ts'

test('messages of a block share a payload id; only index 0 has the base; each has only its new transactions', async () => {
  const { node, nextBlock, nextFlashblock } = await startManualNode()
  await nextBlock()
  const messages: FlashblockMessage[] = []
  node.events.on('flashblock', ({ layer }) => messages.push(flashblockMessage(layer)))
  const first = signTransfer({ nonce: 0n })
  await node.submit(first.raw)
  await nextFlashblock()
  const second = signTransfer({ nonce: 1n })
  await node.submit(second.raw)
  await nextBlock()
  const ofBlock = messages.filter(({ metadata }) => metadata.block_number === 2)
  expect(ofBlock.map(({ diff }) => diff.transactions)).toEqual([
    [bytesToHex(first.raw)],
    [bytesToHex(second.raw)],
    ...Array(8).fill([]),
  ])
  expect(ofBlock.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(new Set(ofBlock.map(({ payload_id }) => payload_id)).size).toBe(1)
  const sealed = node.view().block({ kind: 'tag', tag: 'latest' })!
  expect(ofBlock.at(-1)!.diff).toMatchObject({ block_hash: sealed.block.hash, gas_used: '0xa410' })

  const next = messages.at(-1)!
  expect(next).toMatchObject({
    index: 0,
    base: { block_number: '0x3', parent_hash: sealed.block.hash },
    metadata: { block_number: 3 },
  })
  expect(ofBlock[0]).not.toHaveProperty('base')
  await node.stop()
})
