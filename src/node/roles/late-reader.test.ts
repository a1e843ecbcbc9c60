import { afterEach, expect, onTestFinished, test } from 'vitest'
import { startReader } from '../../../test/support/readers.ts'
import { endAll, endLater, expectSame, start } from '../../../test/support/replica-scene.ts'
import { streamOf } from '../../../test/support/replicas.ts'
import type { Hash } from '../../primitives/hex.ts'
import { decodeRecord } from '../../state/records/record.ts'
import type { SoloHandle } from './node-handle.ts'

afterEach(endAll)

async function read(node: SoloHandle) {
  const started = await startReader(node)
  endLater(() => started.stop())
  return started
}

/** Hashes of the blocks in the events of a node: removed, open and sealed ones. */
function blockEvents({ events }: Pick<SoloHandle, 'events'>) {
  const hashes = { unwound: [] as Hash[], sealed: [] as Hash[], opened: [] as Hash[] }
  events.on('unwound', ({ blocks }) => hashes.unwound.push(...blocks.map(({ block }) => block.hash)))
  events.on('sealed', ({ block }) => hashes.sealed.push(block.hash))
  events.on('flashblock', ({ layer, block }) => {
    if (layer.index === 0) hashes.opened.push(block.hash)
  })
  return hashes
}

test.each([
  ['one unwind', [1]],
  ['two unwinds, the second one lower', [2, 1]],
  ['two unwinds, the second one higher', [1, 2]],
])('follows a store that already has other blocks when the records of %s arrive', async (_, heights) => {
  const { node, nextBlock, send } = await start()
  const { reader, catchUp } = await read(node)
  for (let nonce = 0n; nonce < 4n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await node.idle()
  catchUp()
  const shown = [1, 2, 3, 4].map((number) => node.view().blockHash({ kind: 'number', number })!)
  const events = blockEvents(reader)

  for (const height of heights) {
    expect(await node.setHead(height)).toEqual({ kind: 'unwound' })
    for (let block = 0; block < 3; block++) {
      await send(BigInt(height + block))
      await nextBlock()
    }
    await node.idle()
  }
  expect(node.view().head.base.number).toBeGreaterThan(Math.max(...heights))
  catchUp()
  await expectSame(reader, node)

  const lowest = Math.min(...heights)
  const { latest } = node.view().head.sealed
  const present = Array.from({ length: latest - lowest }, (_, index) =>
    node.view().blockHash({ kind: 'number', number: lowest + 1 + index }),
  )
  expect(events.unwound.filter((hash) => shown.includes(hash))).toEqual(shown.slice(lowest).reverse())
  expect(events.sealed.slice(-present.length)).toEqual(present)
  expect(events.opened.at(-1)).toBeDefined()
  await send(BigInt(latest))
  await nextBlock()
  catchUp()
  await expectSame(reader, node)
})

test.each([
  ['extended', [1], 3],
  ['unwound further', [2, 1], 0],
])('keeps its head until the records arrive by which the store was %s', async (_, heights, blocks) => {
  const { node, nextBlock, send } = await start()
  const { reader, chain, catchUp } = await read(node)
  for (let nonce = 0n; nonce < 3n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await node.idle()
  catchUp()
  const before = reader.view().head
  const stream = streamOf(node).beginReader()
  onTestFinished(() => stream.close())
  for (const height of heights) await node.setHead(height)
  for (let block = 0; block < blocks; block++) {
    await send(BigInt(1 + block))
    await nextBlock()
  }
  await node.idle()
  const records = stream.read(chain.sequence + 1, 2 ** 20)

  // The first ones open a block that is not on the newest one of the store.
  const opening = records.findIndex(({ payload }) => decodeRecord(payload).kind === 'flashblock')
  chain.apply(records.slice(0, opening + 1))
  expect(reader.view().head).toBe(before)
  for (const record of records.slice(opening + 1)) chain.apply([record])

  await expectSame(reader, node)
})
