import { expect, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { haveOneHiddenClass } from '../../../test/support/natives.ts'
import type { Head } from '../machine/head.ts'

/**
 * In Node 20 each object with members added to a spread of an unfrozen object (`{ ...content, hash }`), and each frozen
 * copy of such an object, has its own hidden class: functions that read it are deoptimized with every block.
 */
test('heads and their parts share one hidden class across blocks', async () => {
  const { node, nextBlock, nextFlashblock } = await startManualNode()
  const heads: Head[] = []
  for (let block = 0; block < 2; block++) {
    await nextBlock()
    for (let index = 0; index < 3; index++) {
      heads.push(node.view().head)
      await nextFlashblock()
    }
  }
  const [first, ...others] = heads as [Head, ...Head[]]
  for (const head of others) {
    expect(haveOneHiddenClass(head, first)).toBe(true)
    expect(haveOneHiddenClass(head.pending, first.pending)).toBe(true)
    expect(haveOneHiddenClass(head.pending.block, first.pending.block)).toBe(true)
    expect(haveOneHiddenClass(head.pending.block.header, first.pending.block.header)).toBe(true)
    expect(haveOneHiddenClass(head.pending.layers.at(-1)!, first.pending.layers.at(-1)!)).toBe(true)
  }
  await node.stop()
})

test('stored blocks and headers share the hidden class of pending ones', async () => {
  const { node, nextBlock } = await startManualNode()
  await nextBlock()
  await nextBlock()
  const { head } = node.view()
  const { base, pending } = head
  const stored = base.block(base.number)!
  expect(haveOneHiddenClass(stored, pending.block)).toBe(true)
  expect(haveOneHiddenClass(base.header(base.number)!, pending.block.header)).toBe(true)
  await node.stop()
})
