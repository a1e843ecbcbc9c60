import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { readFlashblock } from '../../../test/support/flashblocks/flashblock-reader.ts'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { FeedFrame } from './feed-message.ts'
import { type FeedForm, FlashblockFeed } from './flashblock-feed.ts'

const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)) }
const deps = { log, now: () => 0, nextRound: setImmediate }

let manual: ManualNode
let feed: FlashblockFeed
beforeEach(async () => {
  manual = await startManualNode()
  feed = new FlashblockFeed({ ...deps, node: manual.node })
})
afterEach(() => manual.node.stop())

/** Messages that a subscriber receives, including those before it subscribed. */
function listen(form: FeedForm) {
  const received: FeedFrame[] = []
  const { before, leave } = feed.subscribe(form, (frame) => received.push(frame))
  received.unshift(...before)
  return {
    received,
    leave,
    positions: () => received.map(({ bytes }) => positionOf(bytes)),
    /** Waits for compression, which runs in another thread. */
    async until(count: number) {
      while (received.length < count) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

function positionOf(bytes: Uint8Array): string {
  const result = readFlashblock(bytes)
  if (result.kind === 'refused') return expect.unreachable(result.fault.message)
  return `${result.flashblock.number}.${result.flashblock.index}`
}

test('a new subscriber receives the open block from its index 0, then later flashblocks', async () => {
  await manual.nextFlashblock()
  await manual.nextFlashblock()
  const first = listen('text')
  expect(first.positions()).toEqual(['1.0', '1.1', '1.2'])
  await manual.nextFlashblock()
  const second = listen('text')
  expect(second.positions()).toEqual(['1.0', '1.1', '1.2', '1.3'])
  await manual.nextBlock()
  await manual.nextFlashblock()
  const third = listen('text')
  expect(third.positions()).toEqual(['2.0', '2.1'])
  const all = [...Array.from({ length: 11 }, (_, index) => `1.${index}`), '2.0', '2.1']
  expect(first.positions()).toEqual(all)
  expect(second.positions()).toEqual(all)
})

test('sends the same flashblocks in Brotli, for any order of subscriptions and compressions', async () => {
  await manual.nextFlashblock()
  const first = listen('brotli')
  await manual.nextFlashblock()
  const second = listen('brotli')
  await first.until(3)
  const third = listen('brotli')
  await manual.nextBlock()
  await Promise.all([first.until(12), second.until(12), third.until(12)])
  const all = [...Array.from({ length: 11 }, (_, index) => `1.${index}`), '2.0']
  for (const { positions } of [first, second, third]) expect(positions()).toEqual(all)
})

test('encodes and compresses each message once for all subscribers', async () => {
  await manual.node.submit(signTransfer({ nonce: 0n }).raw)
  const listeners = (['text', 'text', 'brotli', 'brotli'] as const).map(listen)
  await manual.nextFlashblock()
  await Promise.all(listeners.map(({ until }) => until(2)))
  const [text, sameText, brotli, sameBrotli] = listeners.map(({ received }) => received)
  for (const index of [0, 1]) {
    expect(sameText![index]!.bytes).toBe(text![index]!.bytes)
    expect(sameBrotli![index]!.bytes).toBe(brotli![index]!.bytes)
    expect(brotli![index]!.bytes.length).toBeLessThan(text![index]!.bytes.length)
    expect(readFlashblock(brotli![index]!.bytes)).toEqual(readFlashblock(text![index]!.bytes))
  }
})

test('neither listens nor caches without subscribers', async () => {
  const before = manual.node.events.listenerCount('flashblock')
  const first = listen('text')
  const second = listen('brotli')
  expect(manual.node.events.listenerCount('flashblock')).toBe(before + 1)
  expect(feed.subscribers).toEqual({ text: 1, brotli: 1 })
  first.leave()
  await manual.nextFlashblock()
  await second.until(2)
  second.leave()
  expect(manual.node.events.listenerCount('flashblock')).toBe(before)
  await manual.nextFlashblock()
  expect(first.positions()).toEqual(['1.0'])
  expect(second.positions()).toEqual(['1.0', '1.1'])
  expect(listen('text').positions()).toEqual(['1.0', '1.1', '1.2'])
})

test('after debug_setHead the feed continues at index 0 of a new job on the new parent', async () => {
  await manual.nextBlock()
  await manual.nextBlock()
  await manual.nextFlashblock()
  const { received, positions } = listen('text')
  const [before] = received.map(({ bytes }) => readFlashblock(bytes))
  await manual.node.setHead(1)
  await manual.nextFlashblock()
  expect(positions()).toEqual(['3.0', '3.1', '2.0', '2.1'])
  const [, , after, later] = received.map(({ bytes }) => readFlashblock(bytes))
  const parent = manual.node.view().block({ kind: 'tag', tag: 'latest' })!.block.hash
  expect(after).toMatchObject({ flashblock: { base: { number: 2, parentHash: parent } } })
  const jobs = [before, after, later].map((result) => result!.kind === 'flashblock' && result!.flashblock.payloadId)
  expect(jobs[0]).not.toBe(jobs[1])
  expect(jobs[1]).toBe(jobs[2])
})

test('an open block that is unwound within a second is followed by a new job id', async () => {
  await manual.nextBlock()
  await manual.nextFlashblock()
  const { received, positions } = listen('text')
  await manual.node.setHead(1)
  await manual.node.setHead(1)
  expect(positions()).toEqual(['2.0', '2.1', '2.0', '2.0'])
  const messages = received
    .map(({ bytes }) => readFlashblock(bytes))
    .map((result) => {
      if (result.kind === 'refused') return expect.unreachable(result.fault.message)
      return result.flashblock
    })
  expect(new Set([messages[0]!, messages[2]!, messages[3]!].map(({ payloadId }) => payloadId)).size).toBe(3)
  expect(new Set(messages.map(({ diff }) => diff.blockHash)).size).toBe(3)
})

test('has no messages of blocks without flashblocks', async () => {
  const network = { upgrade: 'denim', denimAfter: 3n, timestamp: 1_767_225_600n } as const
  const chain = await startManualNode({ network })
  onTestFinished(() => chain.node.stop())
  feed = new FlashblockFeed({ ...deps, node: chain.node })
  await chain.nextFlashblock()
  const first = listen('text')
  while (chain.node.view().head.sealed.latest < 4) await chain.nextFlashblock()

  const late = listen('text')

  expect(first.positions()).toEqual(Array.from({ length: 11 }, (_, index) => `1.${index}`))
  expect(late.positions()).toEqual([])
})
