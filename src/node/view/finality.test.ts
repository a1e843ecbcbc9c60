import { afterEach, expect, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { endAll, endLater, follow, newDirectory, start } from '../../../test/support/replica-scene.ts'
import { caughtUp, serveStream, sourceOf, startReplica } from '../../../test/support/replicas.ts'
import { decodeRecord, encodeRecord } from '../../state/records/record.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import type { RecordSource } from '../log/record-source.ts'
import type { ServedNode } from '../roles/node-handle.ts'

afterEach(endAll)

/**
 * A source with another finality depth. While `spoils` returns true, its flashblocks with transactions lack their
 * receipts: after three of them a replica restarts from the beginning.
 */
function changed(
  url: string,
  { finalityDepth, spoils = () => false }: { readonly finalityDepth: number; readonly spoils?: () => boolean },
): RecordSource {
  const spoilt = ({ sequence, payload }: LogRecord): LogRecord => {
    const record = decodeRecord(payload)
    if (record.kind !== 'flashblock' || record.transactions.length === 0 || !spoils()) return { sequence, payload }
    return { sequence, payload: encodeRecord({ ...record, receipts: [] }) }
  }
  return {
    name: url,
    async connect(hello) {
      const connection = await sourceOf(url).connect(hello)
      const { handshake } = connection
      return {
        handshake: { ...handshake, settings: { ...handshake.settings, finalityDepth } },
        async next() {
          const message = await connection.next()
          return message.kind === 'records' ? { kind: 'records', records: message.records.map(spoilt) } : message
        },
        submit: (raw) => connection.submit(raw),
        request: (request) => connection.request(request),
        close: () => connection.close(),
      }
    },
  }
}

const finalizedAt = (node: ServedNode) => node.view().head.sealed.finalized

test('a finalized block stays finalized after a restart with a greater finality depth', async () => {
  const directory = await newDirectory()
  const first = await startManualNode({ directory, finalityDepth: 1 })
  for (let block = 0; block < 5; block++) await first.nextBlock()
  const finalized = finalizedAt(first.node)
  await first.node.stop()

  for (let restart = 0; restart < 2; restart++) {
    const again = await startManualNode({ directory, finalityDepth: 64, clock: first.clock })

    expect(finalizedAt(again.node)).toBeGreaterThanOrEqual(finalized)
    await again.nextBlock()
    expect(finalizedAt(again.node)).toBeGreaterThanOrEqual(finalized)
    await again.node.stop()
  }
  expect(finalized).toBe(4)
})

test('a replica keeps a block finalized when its source restarts with a greater finality depth', async () => {
  const directory = await newDirectory()
  const scene = await start({ directory, finalityDepth: 1 })
  for (let block = 0; block < 5; block++) await scene.nextBlock()
  const replica = await follow(scene.stream.url)
  await caughtUp(replica, scene.node)
  await replica.idle()
  await scene.nextBlock()
  await caughtUp(replica, scene.node)
  const finalized = finalizedAt(replica)
  const shown: number[] = []
  replica.events.on('flashblock', () => shown.push(finalizedAt(replica)))

  await scene.stream.close()
  await scene.node.stop()
  const again = await startManualNode({ directory, finalityDepth: 64, clock: scene.clock })
  endLater(() => again.node.stop())
  const stream = await serveStream(again.node, { port: scene.stream.port })
  endLater(() => stream.close())
  await again.nextBlock()
  await caughtUp(replica, again.node)

  expect(finalized).toBeGreaterThan(0)
  expect(Math.min(...shown)).toBeGreaterThanOrEqual(finalized)
})

test.each([
  ['its first start', 0],
  ['a later start', 1],
])(
  'a replica whose source got a greater finality depth after %s shows the same finalized block when it starts again',
  async (_, restarts) => {
    const [source, own] = [await newDirectory(), await newDirectory()]
    const first = await start({ directory: source, finalityDepth: 1 })
    for (let block = 0; block < 5; block++) await first.nextBlock()
    for (let restart = 0; restart < restarts; restart++) {
      const before = await startReplica(first.stream.url, { directory: own })
      await caughtUp(before, first.node)
      await before.stop()
    }
    const replica = await startReplica(first.stream.url, { directory: own })
    await caughtUp(replica, first.node)
    await replica.idle()
    await first.nextBlock()
    await caughtUp(replica, first.node)
    const finalized = finalizedAt(replica)
    const { port } = first.stream
    await first.stream.close()
    await first.node.stop()
    const second = await startManualNode({ directory: source, finalityDepth: 64, clock: first.clock })
    endLater(() => second.node.stop())
    const stream = await serveStream(second.node, { port })
    endLater(() => stream.close())
    for (let block = 0; block < 5; block++) await second.nextBlock()
    await caughtUp(replica, second.node)
    await replica.idle()
    await replica.stop()

    const again = await follow(stream.url, { directory: own })
    await caughtUp(again, second.node)

    expect(finalized).toBeGreaterThan(3)
    expect(finalizedAt(again)).toBe(finalized)
  },
)

test('a replica that unwinds a finalized block does not show it as finalized after a restart', async () => {
  const directory = await newDirectory()
  const scene = await start({ finalityDepth: 64 })
  const first = await startReplica(changed(scene.stream.url, { finalityDepth: 1 }), { directory })
  for (let block = 0; block < 5; block++) await scene.nextBlock()
  await caughtUp(first, scene.node)
  await first.idle()
  await scene.nextBlock()
  await caughtUp(first, scene.node)
  const finalized = finalizedAt(first)
  await first.stop()
  const second = await startReplica(scene.stream.url, { directory })
  await caughtUp(second, scene.node)
  await scene.nextBlock()
  await caughtUp(second, scene.node)
  const kept = finalizedAt(second)
  await scene.node.setHead(3)
  await scene.nextBlock()
  await caughtUp(second, scene.node)
  const unwound = finalizedAt(second)
  await second.idle()
  await second.stop()
  for (let block = 0; block < 5; block++) await scene.nextBlock()

  const third = await follow(scene.stream.url, { directory })
  await caughtUp(third, scene.node)

  expect([finalized, kept, unwound]).toEqual([5, 5, 3])
  expect(finalizedAt(third)).toBe(3)
})

test('a replica that replays an unwind keeps the block finalized after it', async () => {
  const directory = await newDirectory()
  const scene = await start({ finalityDepth: 64 })
  const first = await startReplica(changed(scene.stream.url, { finalityDepth: 1 }), { directory })
  for (let block = 0; block < 3; block++) await scene.nextBlock()
  await scene.node.setHead(2)
  for (let block = 0; block < 5; block++) await scene.nextBlock()
  await caughtUp(first, scene.node)
  await first.idle()
  await scene.nextBlock()
  await caughtUp(first, scene.node)
  const finalized = finalizedAt(first)
  await first.stop()
  let spoiled = 0
  const spoils = () => ++spoiled <= 3
  const second = await startReplica(changed(scene.stream.url, { finalityDepth: 64, spoils }), { directory })
  await scene.send(0n)
  await scene.nextBlock()
  await caughtUp(second, scene.node)
  await second.idle()
  const { faults } = second.following
  await second.stop()

  const third = await follow(scene.stream.url, { directory })
  await caughtUp(third, scene.node)

  expect(faults).toMatchObject({ invalid: 3 })
  expect(finalized).toBeGreaterThan(2)
  expect(finalizedAt(third)).toBe(finalized)
})
