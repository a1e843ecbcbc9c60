import { expect, onTestFinished, test } from 'vitest'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
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
    lastSequence: head.sequence,
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

test('a record that cannot be applied is not appended', async () => {
  const manual = await startManualNode()
  onTestFinished(() => manual.node.stop())
  await manual.nextBlock()
  const { head } = manual.node.view()
  const appended: unknown[] = []
  const journal = {
    append: (record: unknown) => appended.push(record),
    sync: async () => {},
    lastSequence: head.sequence,
    durableSequence: head.sequence,
  }
  const announcer = new Announcer(
    { state: chainState(head, { isOwn: true }), shown: head },
    { finality: { depth: 64 }, checksRecords: true },
    { journal, writer: { enqueue: () => {} }, publish: () => {} },
  )

  const { block, receipts, trie, layers } = head.pending
  const layer = layers.at(-1)!
  const built = { block, receipts, trie, layer: { ...layer, header: { ...layer.header, gasUsed: 1 } } }

  expect(() => announcer.replace(built)).toThrow()

  expect(appended).toEqual([])
})

test('a base that no head has is released when a newer one replaces it', async () => {
  const manual = await startManualNode()
  onTestFinished(() => manual.node.stop())
  await manual.nextBlock()
  const { head } = manual.node.view()
  const published: Snapshot[] = []
  const announcer = new Announcer(
    { state: chainState({ ...head, pending: undefined }, { isOwn: true }) },
    { finality: { depth: 64 } },
    {
      journal: { append: () => 0, sync: async () => {}, lastSequence: head.sequence, durableSequence: head.sequence },
      writer: { enqueue: () => {} },
      publish: ({ head: { base } }) => published.push(base),
    },
  )
  const released: number[] = []
  const bases = [1, 2, 3].map(
    (number) =>
      new Proxy(head.base, {
        get: (base, name) => (name === 'release' ? () => released.push(number) : Reflect.get(base, name, base)),
      }),
  )

  for (const base of bases) announcer.rebase(base, head.baseTrie)

  expect(released).toEqual([1, 2])
  expect(published).toEqual([])
})
