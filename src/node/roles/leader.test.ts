import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pendingAt, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { DEFAULT_POOL_OPTIONS } from '../../pool/options.ts'
import { PENDING } from '../view/block-reference.ts'

test('a submitted transaction is in the pending block after the next flashblock, and later in the sealed block', async () => {
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

test("pooled transactions that exceed their sender's balance after an unwind survive a restart", async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tickertape-node-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { node, nextBlock } = await startManualNode({ directory })
  const { address } = DEVELOPMENT_ACCOUNTS[0]!
  const ether = 10n ** 18n
  await node.submit(signTransfer({ from: 1, nonce: 0n, to: address, value: 3_000n * ether }).raw)
  await nextBlock()
  await nextBlock()
  // Total cost of the transactions: 13,000 ether. Balance after the unwind: 10,000 ether.
  const sent = [0n, 1n].map((nonce) => signTransfer({ nonce, value: 6_400n * ether }))
  for (const { raw } of sent) expect(await node.submit(raw)).toMatchObject({ kind: 'accepted' })
  expect(await node.setHead(0)).toEqual({ kind: 'unwound' })
  const waiting = pendingAt(node).map(({ hash }) => hash)
  expect(waiting).toEqual(sent.map(({ hash }) => hash))
  await node.stop()
  const again = await startManualNode({ directory })
  onTestFinished(() => again.node.stop())
  expect(pendingAt(again.node).map(({ hash }) => hash)).toEqual(waiting)
})

test('pooled transactions behind a nonce gap that an unwind opened survive a restart, however many there are', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tickertape-node-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { node, nextBlock } = await startManualNode({ directory })
  await node.submit(signTransfer({ nonce: 0n }).raw)
  await nextBlock()
  await nextBlock()
  const sent = Array.from({ length: DEFAULT_POOL_OPTIONS.maxQueuedPerSender + 1 }, (_, index) =>
    signTransfer({ nonce: BigInt(index + 1) }),
  )
  for (const { raw } of sent) expect(await node.submit(raw)).toMatchObject({ kind: 'accepted' })
  expect(await node.setHead(0)).toEqual({ kind: 'unwound' })
  await node.stop()
  const again = await startManualNode({ directory })
  onTestFinished(() => again.node.stop())
  for (const { hash } of sent) expect(again.node.view().transaction(hash)?.kind).toBe('pooled')
})
