import { expect, test } from 'vitest'
import { startManualNode } from '../../test/support/manual-node.ts'
import { signTransfer } from '../../test/support/transfers.ts'
import { PENDING } from './block-reference.ts'

test('a sent transaction is in the pending block after the next flashblock, and sealed with it', async () => {
  const { node, nextFlashblock, nextBlock } = await startManualNode()
  const transaction = signTransfer({ nonce: 0n, value: 5n })
  expect((await node.submit(transaction.raw)).kind).toBe('accepted')
  expect(node.view().transaction(transaction.hash)?.kind).toBe('pooled')
  expect(node.view().pendingNonce(transaction.from)).toBe(1n)

  await nextFlashblock()
  const preconfirmed = node.view().transaction(transaction.hash)
  expect(preconfirmed).toMatchObject({ kind: 'included', index: 0, block: { status: 'open' } })
  expect(node.view().pool.size).toBe(0)
  const partial = node.view().block(PENDING)!.block

  const second = signTransfer({ nonce: 1n })
  await node.submit(second.raw)
  await nextBlock()
  const sealed = node.view().transaction(transaction.hash)
  expect(sealed).toMatchObject({ kind: 'included', index: 0, block: { status: 'sealed' } })
  const byPartialHash = node.view().block({ kind: 'hash', hash: partial.hash, requireCanonical: false })
  expect(byPartialHash).toMatchObject({ status: 'superseded', block: { hash: partial.hash, size: partial.size } })
  await node.stop()
})
