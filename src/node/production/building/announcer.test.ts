import { expect, onTestFinished, test } from 'vitest'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import { chainState } from '../../machine/chain-state.ts'
import { Announcer } from './announcer.ts'

test('an unwind that is not acknowledged leaves the announced chain as it was', async () => {
  const manual = await startManualNode()
  onTestFinished(() => manual.node.stop())
  await manual.nextBlock()
  const { head } = manual.node.view()
  const journal = {
    append: () => head.sequence + 1,
    sync: () => Promise.reject(new Error('the stream was lost')),
    durableSequence: head.sequence,
  }
  const announcer = new Announcer(
    { state: chainState(head, { isOwn: true }), shown: head },
    { finality: { depth: 64 } },
    { journal, writer: { enqueue: () => {} }, publish: () => {} },
  )

  const unwinding = announcer.unwind({ number: 0, hash: head.base.blockHash(0)! })

  await expect(unwinding).rejects.toThrow('the stream was lost')
  expect(announcer.content).toBe(head)
})
