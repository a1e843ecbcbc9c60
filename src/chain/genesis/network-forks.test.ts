import { expect, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { decodeBlock, encodeBlock } from '../block/block-codec.ts'
import { NETWORK_FORKS } from './networks.ts'

test.each(NETWORK_FORKS)('a network of fork %s builds blocks that decode and execute', async (fork) => {
  const manual = await startManualNode({ network: { fork } })
  try {
    const { raw, hash } = signTransfer({ nonce: 0n })
    expect(await manual.node.submit(raw)).toMatchObject({ kind: 'accepted' })

    await manual.nextBlock()
    await manual.nextBlock()

    const found = manual.node.view().transaction(hash)
    expect(found).toMatchObject({ kind: 'included', receipt: { outcome: { status: 1 } } })
    const { block } = manual.node.view().block({ kind: 'number', number: 1 })!
    expect(decodeBlock(encodeBlock(block)).hash).toBe(block.hash)
  } finally {
    await manual.node.stop()
  }
})
