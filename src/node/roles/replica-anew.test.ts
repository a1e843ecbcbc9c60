import { afterEach, expect, test } from 'vitest'
import { pendingAt } from '../../../test/support/manual-node.ts'
import { endAll, expectSame, follow, type Scene, SHORT_WINDOW, start } from '../../../test/support/replica-scene.ts'
import { caughtUp, sourceOf } from '../../../test/support/replicas.ts'
import { decodeRecord, encodeRecord } from '../../state/records/record.ts'
import { type RecordSource, SourceError, type StreamMessage } from '../log/record-source.ts'
import type { ServedNode } from './node-handle.ts'

afterEach(endAll)

/**
 * A source whose flashblocks lack their receipts, three times on request, so that a replica restarts from the
 * beginning.
 */
function spoilable(url: string) {
  const spoiling = { times: 0, afterwards: url }
  const spoil = (message: StreamMessage): StreamMessage => {
    if (message.kind !== 'records' || spoiling.times === 0) return message
    let isSpoilt = false
    const records = message.records.map(({ sequence, payload }) => {
      const record = decodeRecord(payload)
      if (record.kind !== 'flashblock' || record.transactions.length === 0) return { sequence, payload }
      isSpoilt = true
      return { sequence, payload: encodeRecord({ ...record, receipts: [] }) }
    })
    if (isSpoilt) spoiling.times -= 1
    return { kind: 'records', records }
  }
  const source: RecordSource = {
    name: url,
    async connect(hello) {
      const isAnew = hello.cursor === undefined
      const connection = await sourceOf(isAnew ? spoiling.afterwards : url).connect(hello)
      return {
        handshake: connection.handshake,
        next: async () => spoil(await connection.next()),
        submit: (raw) => connection.submit(raw),
        request: (request) => connection.request(request),
        close: () => connection.close(),
      }
    },
  }
  return { source, spoiling }
}

/** Events that listeners receive. */
function eventsOf({ events }: ServedNode) {
  const received = { flashblocks: [] as string[], sealed: [] as string[], removed: [] as string[] }
  events.on('flashblock', ({ layer, block }) =>
    received.flashblocks.push(`${block.header.number} ${layer.index} ${block.hash}`),
  )
  events.on('sealed', ({ block }) => received.sealed.push(`${block.header.number} ${block.hash}`))
  events.on('unwound', ({ blocks }) => received.removed.push(...blocks.map(({ block }) => block.hash)))
  return received
}

async function blocks(scene: Scene, from: bigint, to: bigint): Promise<void> {
  for (let nonce = from; nonce < to; nonce++) {
    await scene.send(nonce)
    await scene.nextBlock()
  }
}

test('a replica that restarts from all records announces each block once and never shows an older one', async () => {
  const scene = await start()
  const { node, stream } = scene
  const { source, spoiling } = spoilable(stream.url)
  const replica = await follow(source)
  await blocks(scene, 0n, 3n)
  await caughtUp(replica, node)
  const [events, wanted] = [eventsOf(replica), eventsOf(node)]
  const heights: number[] = []
  replica.events.on('flashblock', ({ view }) => heights.push(view.head.sealed.latest))
  await blocks(scene, 3n, 5n)
  await caughtUp(replica, node)
  spoiling.times = 3
  await blocks(scene, 5n, 7n)
  await caughtUp(replica, node)
  expect(replica.following).toMatchObject({ connections: 4, snapshots: 0, faults: { invalid: 3 } })
  expect(events).toEqual(wanted)
  expect(heights).toEqual(heights.toSorted((a, b) => a - b))
  await expectSame(replica, node)
})

test('a replica that restarts after an unwind has the pool of its source', async () => {
  const scene = await start()
  const { node, stream } = scene
  const { source, spoiling } = spoilable(stream.url)
  const replica = await follow(source)
  await blocks(scene, 0n, 3n)
  await scene.send(9n)
  expect(await node.setHead(1)).toEqual({ kind: 'unwound' })
  await blocks(scene, 1n, 3n)
  await caughtUp(replica, node)
  const [events, wanted] = [eventsOf(replica), eventsOf(node)]
  spoiling.times = 3
  await blocks(scene, 3n, 4n)
  await caughtUp(replica, node)
  expect(replica.following).toMatchObject({ connections: 4, faults: { invalid: 3 } })
  expect(events).toEqual(wanted)
  await expectSame(replica, node)
  expect(pendingAt(node)).toHaveLength(1)
  expect(await node.setHead(2)).toEqual({ kind: 'unwound' })
  await blocks(scene, 2n, 3n)
  await caughtUp(replica, node)
  expect(events).toEqual(wanted)
  await expectSame(replica, node)
})

test('a replica that restarts from a snapshot announces each block once', async () => {
  const scene = await start(SHORT_WINDOW)
  const { node, stream } = scene
  const { source, spoiling } = spoilable(stream.url)
  const replica = await follow(source)
  await blocks(scene, 0n, 3n)
  await caughtUp(replica, node)
  const events = eventsOf(replica)
  await scene.send(3n)
  await scene.nextFlashblock()
  await caughtUp(replica, node)
  spoiling.times = 3
  await scene.send(4n)
  await scene.nextFlashblock()
  await caughtUp(replica, node)
  await blocks(scene, 5n, 7n)
  await caughtUp(replica, node)
  expect(replica.following).toMatchObject({ faults: { invalid: 3 } })
  expect(replica.following.snapshots).toBeGreaterThan(0)
  for (const list of [events.flashblocks, events.sealed]) expect(new Set(list).size).toBe(list.length)
  expect(events.removed).toEqual([])
  await expectSame(replica, node)
})

test('a replica that restarts from another chain unwinds the old blocks once the new chain is as long', async () => {
  const scene = await start()
  const other = await start()
  const { source, spoiling } = spoilable(scene.stream.url)
  const replica = await follow(source)
  await blocks(scene, 0n, 3n)
  await caughtUp(replica, scene.node)
  const events = eventsOf(replica)
  const shown = [1, 2, 3].map((number) => replica.view().blockHash({ kind: 'number', number })!)
  await other.nextBlock()
  await blocks(other, 0n, 5n)
  spoiling.afterwards = other.stream.url
  spoiling.times = 3
  await scene.send(3n)
  await scene.nextFlashblock()
  await caughtUp(replica, other.node)
  expect(events.removed.slice(-3)).toEqual(shown.toReversed())
  await blocks(other, 5n, 6n)
  await caughtUp(replica, other.node)
  await expectSame(replica, other.node)
})

test('a replica that restarts from a lagging source announces each block once, in order', async () => {
  const scene = await start()
  const { node, stream } = scene
  const { source, spoiling } = spoilable(stream.url)
  /** The newest record of the source when the replica reconnects; later ones follow. */
  let newestSequence: number | undefined
  const lagging: RecordSource = {
    name: source.name,
    async connect(hello) {
      const connection = await source.connect(hello)
      if (hello.cursor !== undefined || newestSequence === undefined) return connection
      return { ...connection, handshake: { ...connection.handshake, newestSequence } }
    },
  }
  const replica = await follow(lagging)
  await blocks(scene, 0n, 3n)
  await caughtUp(replica, node)
  const [events, wanted] = [eventsOf(replica), eventsOf(node)]
  const heights: number[] = []
  replica.events.on('flashblock', ({ view }) => heights.push(view.head.sealed.latest))

  newestSequence = node.view().head.sequence - 10
  spoiling.times = 3
  await blocks(scene, 3n, 5n)
  await caughtUp(replica, node)

  expect(replica.following.faults.invalid).toBe(3)
  expect(events).toEqual(wanted)
  expect(heights).toEqual(heights.toSorted((a, b) => a - b))
  await expectSame(replica, node)
})

test('a replica without records follows a source that was unwound to block 0 and keeps no others', async () => {
  // A file for each record, so that none is kept for others.
  const scene = await start({ ...SHORT_WINDOW, segmentBytes: 100 })
  let connections = 0
  let goOn = () => {}
  const isUnwound = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const source: RecordSource = {
    name: scene.stream.url,
    async connect(hello) {
      connections += 1
      if (connections > 1) await isUnwound
      const connection = await sourceOf(scene.stream.url).connect(hello)
      if (connections > 1) return connection
      const next = () => Promise.reject(new SourceError('CLOSED', 'cut before the first record'))
      return { ...connection, handshake: connection.handshake, next, close: () => connection.close() }
    },
  }
  const following = follow(source)
  await blocks(scene, 0n, 4n)
  expect(await scene.node.setHead(0)).toEqual({ kind: 'unwound' })
  await scene.nextBlock()
  await scene.node.idle()
  expect(scene.node.replication.records.firstSequence).toBeGreaterThan(1)

  goOn()
  const replica = await following
  await caughtUp(replica, scene.node)

  await expectSame(replica, scene.node)
})
