import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import type { SoloHandle } from '../roles/node-handle.ts'
import { verifyChain } from '../tools/verify-chain.ts'
import { AUTO, MANUAL } from './mining-mode.ts'

test('a chain with a chosen base fee is sound, also after more blocks', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'base-fee-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const manual = await startManualNode({ directory, development: { mining: AUTO } })
  const { mining } = manual.node.development!
  await mining.setNextBaseFee(123_456_789_000n)
  await mining.mine({ blocks: 1 })
  await manual.node.submit(signTransfer({ from: 0, nonce: 0n, maxFeePerGas: 200_000_000_000n }).raw)
  await mining.setNextBaseFee(5_000_000n)
  await mining.mine({ blocks: 3 })
  await manual.node.stop()

  const { genesis } = createNetwork()
  const verification = await verifyChain({ directory, genesis }, async () => {})

  expect(verification).toMatchObject({ kind: 'sound', blocks: 6 })
})

test.each<[string, (node: SoloHandle) => Promise<unknown>]>([
  ['revert', (node) => node.development!.snapshots.revert(0, 'chain')],
  ['rollback', (node) => node.development!.snapshots.rollback(1)],
  ['debug_setHead', (node) => node.setHead(1)],
])('a chain is sound whose next base fee was chosen before a %s', async (_, goBack) => {
  const directory = await mkdtemp(join(tmpdir(), 'base-fee-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const { node } = await startManualNode({ directory, development: { mining: MANUAL } })
  const { mining, snapshots } = node.development!
  await mining.mine({ blocks: 2 })
  await snapshots.take()
  await mining.setNextBaseFee(123_456_789_000n)

  await goBack(node)
  await mining.mine({ blocks: 4 })
  await node.stop()

  const { genesis } = createNetwork()
  expect(await verifyChain({ directory, genesis }, async () => {})).toMatchObject({ kind: 'sound' })
})
