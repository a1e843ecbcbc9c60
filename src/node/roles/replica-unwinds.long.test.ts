import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { endAll, expectSame, follow, SHORT_WINDOW, start } from '../../../test/support/replica-scene.ts'
import { caughtUp, shows } from '../../../test/support/replicas.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'

afterEach(endAll)

test('restores another snapshot after an unwind below its own, and names the removed blocks', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 5n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await node.idle()
  const replica = await follow(stream.url, { replayBlocks: 1 })
  await caughtUp(replica, node)
  const unwound = once(replica.events, 'unwound')
  expect(await node.setHead(2)).toEqual({ kind: 'unwound' })
  await nextFlashblock()
  const [{ blocks }] = await unwound
  expect(blocks.map(({ block }: { block: { header: { number: number } } }) => block.header.number)).toEqual([
    6, 5, 4, 3,
  ])
  await shows(replica, node.view().head.sequence)
  await nextBlock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  // A third one, if the replica asked for the second before the leader had unwound its store (see the next test).
  expect(replica.following.snapshots).toBeGreaterThanOrEqual(2)
})

test('restores a third snapshot if the second one is of the chain before the unwind', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 5n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await node.idle()
  const replica = await follow(stream.url, { replayBlocks: 1 })
  await caughtUp(replica, node)
  const chain = node.replication!.chain as ChainStore
  const unwind = chain.unwind.bind(chain)
  // The unwind is recorded, and sent to replicas, before the store is unwound.
  vi.spyOn(chain, 'unwind').mockImplementation(async (...args) => {
    while (replica.following.snapshots < 2) await setImmediate()
    return unwind(...args)
  })

  expect(await node.setHead(2)).toEqual({ kind: 'unwound' })
  await nextFlashblock()

  await shows(replica, node.view().head.sequence)
  await nextBlock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  expect(replica.following.snapshots).toBe(3)
})
