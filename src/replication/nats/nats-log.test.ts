import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { hasNatsServer, type NatsServer, natsLog, natsSource, startNatsServer } from '../../../test/support/nats.ts'
import { onTrouble } from '../../../test/support/nats-fixture.ts'
import { caughtUp, serveStream, sourceOf, startReplica, streamOf } from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { systemClock } from '../../node/core/clock.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import type { ReplicatedLogDescription } from '../../node/log/replicated-log.ts'
import { encodeRecord } from '../../state/records/record.ts'
import { disk } from '../../storage/disk.ts'
import { openSegmentLog } from '../../storage/segment-log.ts'
import { NatsPublisher } from './nats-publisher.ts'
import { connectNats } from './nats-servers.ts'
import { type ChainSubjects, chainSubjects, openStream } from './nats-stream.ts'
import { splitGroup } from './record-groups.ts'
import { StreamReader } from './stream-reader.ts'

const { config, header } = createNetwork().genesis
const DESCRIPTION: ReplicatedLogDescription = {
  chainId: config.chainId,
  genesisHash: buildGenesis(createNetwork().genesis).block.hash,
  settings: { blockTime: 2000, slots: 10, gasLimit: header.gasLimit, finalityDepth: 64 },
}
const LIMITS = { maxBytes: 2 ** 26, maxAgeMs: 0, replicas: 1 }

describe.skipIf(!hasNatsServer)('a replicated log over NATS', () => {
  let server: NatsServer
  let subjects: ChainSubjects
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    subjects = chainSubjects(DESCRIPTION)
    server = await startNatsServer()
  })
  afterAll(() => server.close())
  beforeEach(() => server.restart())
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    await server.restart()
    await withNats(async (connection) => {
      const manager = await jetstreamManager(connection)
      for await (const name of manager.streams.names()) await manager.streams.delete(name)
    })
  })

  async function withNats<T>(use: (connection: NatsConnection) => Promise<T>): Promise<T> {
    const connection = await connect({ servers: server.url })
    try {
      return await use(connection)
    } finally {
      await connection.close()
    }
  }

  async function newDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'tickertape-nats-'))
    closing.push(() => rm(directory, { recursive: true, force: true }))
    return directory
  }

  async function start(options: Parameters<typeof startManualNode>[0] = {}): Promise<ManualNode> {
    const manual = await startManualNode({ replicatedLog: natsLog(server.url), ...options })
    closing.push(() => manual.node.stop())
    return manual
  }

  async function follow(...options: Parameters<typeof startReplica>) {
    const replica = await startReplica(...options)
    closing.push(() => replica.stop())
    return replica
  }

  async function send({ node }: ManualNode, nonce: bigint): Promise<void> {
    expect(await node.submit(signTransfer({ nonce }).raw)).toMatchObject({ kind: 'accepted' })
  }

  /** Publishes messages that no node would. */
  function intrude(data: Uint8Array, names: ReadonlyMap<string, string> = new Map()): Promise<unknown> {
    return withNats(async (connection) => {
      const all = headers()
      for (const [name, value] of names) all.set(name, value)
      return jetstream(connection).publish(subjects.records, data, { headers: all })
    })
  }

  test('a replica without data reaches the head of the node, and forwards transactions', async () => {
    const sequencer = await start()
    await send(sequencer, 0n)
    await sequencer.nextBlock()
    const replica = await follow(natsSource(server.url))
    await caughtUp(replica, sequencer.node)
    expect(replica.view().head.pending.block.hash).toBe(sequencer.node.view().head.pending.block.hash)
    const { raw, hash } = signTransfer({ nonce: 1n })
    expect(await replica.submit(raw)).toMatchObject({ kind: 'accepted' })
    expect(replica.view().pool.get(hash)).toBeDefined()
    expect(await replica.submit(raw)).toMatchObject({ kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } })
    await sequencer.nextFlashblock()
    await caughtUp(replica, sequencer.node)
    expect(replica.view().head.pending.block.transactions.map((one) => one.hash)).toContain(hash)
    expect(replica.following.faults).toMatchObject({ malformed: 0, gap: 0, invalid: 0 })
  })

  test('announces nothing while NATS is unreachable, reports the stall, and loses no record', async () => {
    let log: ReturnType<typeof onTrouble> | undefined
    const isNoticed = new Promise<void>((resolve) => {
      log = onTrouble(resolve)
    })
    const sequencer = await start({ replicatedLog: natsLog(server.url, {}, log) })
    const replica = await follow(natsSource(server.url))
    await sequencer.nextFlashblock()
    const before = sequencer.node.view().head.sequence
    await server.kill()
    let isAnnounced = false
    const announced = sequencer.nextFlashblock().then(() => {
      isAnnounced = true
    })
    const sent = sequencer.node.submit(signTransfer({ nonce: 0n }).raw)
    await isNoticed
    expect(sequencer.node.publishing?.stalledForMs).toBeGreaterThan(0)
    expect(isAnnounced).toBe(false)
    expect(sequencer.node.view().head.sequence).toBe(before)
    expect(streamOf(sequencer.node).newestSequence).toBe(before)
    await server.restart()
    await announced
    expect(await sent).toMatchObject({ kind: 'accepted' })
    expect(sequencer.node.publishing?.stalledForMs).toBe(0)
    await sequencer.nextBlock()
    await caughtUp(replica, sequencer.node)
    expect(replica.hasFailed).toBe(false)
    expect(replica.following.faults).toMatchObject({ invalid: 0, malformed: 0 })
  })

  test('reconnects after NATS has rejected its credentials for a while', async () => {
    const connection = await connectNats(
      server.url,
      { connectTimeoutMs: 2_000, requestTimeoutMs: 2_000, pingIntervalMs: 500 },
      true,
    )
    closing.push(() => connection.close())
    await server.restart(['--user', 'somebody', '--pass', 'else'])
    let refusals = 0
    for await (const { type } of connection.status()) {
      if (type === 'error') refusals += 1
      if (type === 'error' && refusals === 3) await server.restart()
      if (type === 'reconnect' || type === 'close') break
    }
    expect(connection.isClosed()).toBe(false)
  })

  test('nodes and replicas count and skip messages that are not records', async () => {
    const sequencer = await start()
    const replica = await follow(natsSource(server.url))
    await intrude(Buffer.from('no record'))
    await intrude(Buffer.from([1, 2, 3]), new Map([['Tickertape-Records', '1-1 0123456789abcdef']]))
    await sequencer.nextFlashblock()
    await sequencer.nextBlock()
    await caughtUp(replica, sequencer.node)
    expect(replica.following.faults.malformed).toBe(2)
    expect(replica.following.connections).toBe(1)
    const timedOut = await follow(natsSource(server.url))
    await caughtUp(timedOut, sequencer.node)
  })

  test('a node fenced by records of another node announces nothing more', async () => {
    const sequencer = await start()
    await sequencer.nextFlashblock()
    const { sequence } = sequencer.node.view().head
    const failed = new Promise((resolve) => sequencer.node.events.once('failed', resolve))
    const [message] = splitGroup([{ sequence: sequence + 1, payload: Buffer.from('another') }], 1_000)
    await intrude(message!.data, message!.headers)
    await sequencer.nextFlashblock()
    expect(await failed).toMatchObject({ code: 'FENCED' })
    expect(sequencer.node.view().head.sequence).toBe(sequence)
  })

  test('splits records larger than a NATS message and restores them', async () => {
    const log = await natsLog(server.url).open(DESCRIPTION)
    closing.push(() => log.close())
    const publisher = log.publisher(0)
    const records = [3_000_000, 10, 1_100_000].map((size, index) => ({
      sequence: index + 1,
      payload: Uint8Array.from({ length: size }, (_, streamSequence) => (streamSequence * 31 + index) & 255),
    }))
    for (const record of records) publisher.add(record)
    await publisher.flush()
    expect(publisher.publishedSequence).toBe(3)
    const again = await natsLog(server.url).open(DESCRIPTION)
    closing.push(() => again.close())
    expect(again.range).toEqual({ first: 1, last: 3 })
    const found: number[] = []
    for await (const group of again.read(1)) {
      for (const { sequence, payload } of group) {
        found.push(sequence)
        expect(Buffer.compare(payload, records[sequence - 1]!.payload)).toBe(0)
      }
    }
    expect(found).toEqual([1, 2, 3])
    expect(Buffer.compare((await again.record(2))!, records[1]!.payload)).toBe(0)
    expect(await again.record(4)).toBeUndefined()
  })

  test('ignores an incomplete group; the next group follows the last complete one', async () => {
    const log = await natsLog(server.url).open(DESCRIPTION)
    const publisher = log.publisher(0)
    publisher.add({ sequence: 1, payload: Buffer.from('one') })
    await publisher.flush()
    await log.close()
    const parts = splitGroup([{ sequence: 2, payload: Buffer.alloc(300) }], 100)
    for (const { data, headers: names } of parts.slice(0, 2)) await intrude(data, names)
    const again = await natsLog(server.url).open(DESCRIPTION)
    closing.push(() => again.close())
    expect(again.range).toEqual({ first: 1, last: 1 })
    const next = again.publisher(1)
    next.add({ sequence: 2, payload: Buffer.from('two') })
    await next.flush()
    const third = await natsLog(server.url).open(DESCRIPTION)
    closing.push(() => third.close())
    expect(third.range).toEqual({ first: 1, last: 2 })
    expect(Buffer.from((await third.record(2))!).toString()).toBe('two')
  })

  test('stores a publish whose acknowledgement was lost once', async () => {
    const { messages, last } = await withNats(async (connection) => {
      const manager = await jetstreamManager(connection)
      await openStream(manager, DESCRIPTION, LIMITS)
      const client = jetstream(connection)
      let published = 0
      const forgetful = {
        async publish(...message: Parameters<typeof client.publish>) {
          const response = await client.publish(...message)
          published += 1
          if (published % 2 === 1) throw new Error('lost')
          return response
        },
      }
      const reader = new StreamReader({ maxBytes: 2 ** 20 }, { manager, stream: subjects.stream })
      const publisher = new NatsPublisher(
        {
          target: server.url,
          subjects,
          maxDataBytes: 1_000,
          ackTimeoutMs: 2_000,
          resendTimeoutMs: 2_000,
          retryDelayMs: 1,
          tellsLoss: false,
          lastSequence: 0,
          lastStreamSequence: 0,
          created: (await reader.ends()).created,
        },
        { client: forgetful, reader, clock: systemClock, log: { warn: () => {} } },
      )
      for (let sequence = 1; sequence <= 20; sequence += 1) {
        publisher.add({ sequence, payload: Buffer.alloc(600, sequence) })
        await publisher.flush()
      }
      expect(await reader.range(await reader.ends())).toEqual({ first: 1, last: 20 })
      const { state } = await manager.streams.info(subjects.stream)
      return { messages: state.messages, last: state.last_seq }
    })
    expect([messages, last]).toEqual([20, 20])
  })

  test('a start publishes records that only the disk has', async () => {
    const directory = await newDirectory()
    const first = await startManualNode({ directory })
    await send(first, 0n)
    await first.nextFlashblock()
    const { sequence } = first.node.view().head
    await first.node.stop()
    const second = await start({ directory, clock: first.clock })
    const replica = await follow(natsSource(server.url))
    await caughtUp(replica, second.node)
    expect(replica.view().head.sequence).toBeGreaterThanOrEqual(sequence)
    expect(replica.view().head.pending.block.transactions).toHaveLength(1)
  })

  test('a start replaces records that the stream lacks by those of the stream', async () => {
    const directory = await newDirectory()
    const first = await startManualNode({ directory, replicatedLog: natsLog(server.url) })
    await first.nextFlashblock()
    const { sequence } = first.node.view().head
    await first.node.stop()
    const other = await newDirectory()
    const rival = await startManualNode({ directory: other, clock: first.clock, replicatedLog: natsLog(server.url) })
    // The node adopted the whole stream and continued it.
    await send(rival, 0n)
    await rival.nextFlashblock()
    const { hash } = rival.node.view().head.pending.block
    const newest = rival.node.view().head.sequence
    expect(newest).toBeGreaterThan(sequence)
    await rival.node.stop()
    // Appended records that the stream did not acknowledge.
    const log = await openSegmentLog({ directory: join(directory, 'records') }, { fileSystem: disk })
    log.append(encodeRecord({ kind: 'pool', transactions: [] }))
    await log.close()
    const again = await start({ directory, clock: rival.clock })
    expect(again.node.view().head.sequence).toBe(newest)
    expect(again.node.view().head.pending.block.hash).toBe(hash)
    await again.nextBlock()
  })

  test('a start rejects a stream with another history with FORKED', async () => {
    const sequencer = await startManualNode({ directory: await newDirectory(), replicatedLog: natsLog(server.url) })
    await sequencer.nextBlock()
    await sequencer.node.stop()
    const directory = await newDirectory()
    const foreignNode = await startManualNode({ directory })
    await foreignNode.nextFlashblock()
    await send(foreignNode, 0n)
    await foreignNode.nextBlock()
    await foreignNode.node.idle()
    await foreignNode.node.stop()
    await expect(startManualNode({ directory, replicatedLog: natsLog(server.url) })).rejects.toMatchObject({
      code: 'FORKED',
      message: expect.stringContaining('remove'),
    })
  })

  test('rejects a replica of another chain', async () => {
    await start()
    const foreign = createNetwork({ chainId: 4242n }).genesis
    await expect(startReplica(natsSource(server.url), { genesis: foreign })).rejects.toMatchObject({
      code: 'FOREIGN_CHAIN',
    })
  })

  test("a replica beyond the stream's first record needs a snapshot: it names --snapshot-from without a source", async () => {
    const directory = await newDirectory()
    const before = await startManualNode({ directory, replayBlocks: 1, segmentBytes: 2_048, history: 2 })
    for (let nonce = 0n; nonce < 6n; nonce += 1n) {
      await send(before, nonce)
      await before.nextBlock()
      await before.node.idle()
    }
    await before.node.stop()
    const sequencer = await start({ directory, clock: before.clock, replayBlocks: 1, segmentBytes: 2_048, history: 2 })
    await expect(startReplica(natsSource(server.url))).rejects.toMatchObject({
      code: 'SNAPSHOT_NEEDED',
      message: expect.stringContaining('--snapshot-from'),
    })
    const stream = await serveStream(sequencer.node)
    closing.push(() => stream.close())
    const replica = await follow(natsSource(server.url, sourceOf(stream.url)))
    await sequencer.nextFlashblock()
    await caughtUp(replica, sequencer.node)
    expect(replica.following.snapshots).toBe(1)
    await stream.close()
    await sequencer.nextBlock()
    await caughtUp(replica, sequencer.node)
    expect(replica.following.connections).toBe(1)
  })

  test('recreates its consumer after the server has deleted it', async () => {
    const sequencer = await start()
    const replica = await follow(natsSource(server.url))
    await caughtUp(replica, sequencer.node)
    await withNats(async (connection) => {
      const manager = await jetstreamManager(connection)
      const names: string[] = []
      for await (const { name } of manager.consumers.list(subjects.stream)) names.push(name)
      expect(names).toHaveLength(1)
      for (const name of names) await manager.consumers.delete(subjects.stream, name)
    })
    await sequencer.nextBlock()
    await caughtUp(replica, sequencer.node)
    expect(replica.following.snapshots).toBe(0)
  })

  test('rejects an unreachable server and names --nats', async () => {
    await server.kill()
    await expect(natsLog(server.url).open(DESCRIPTION)).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('--nats'),
    })
    await expect(
      natsSource(server.url).connect({ ...DESCRIPTION, cursor: undefined, finalized: undefined }),
    ).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('the newest start sets the limits of the stream', async () => {
    await withNats(async (connection) => {
      const manager = await jetstreamManager(connection)
      await expect(openStream(manager, DESCRIPTION, { ...LIMITS, replicas: 3 })).rejects.toMatchObject({
        code: 'REFUSED',
        message: expect.stringContaining('--nats-replicas'),
      })
      await openStream(manager, DESCRIPTION, LIMITS)
      await openStream(manager, DESCRIPTION, { ...LIMITS, maxBytes: 2 ** 25, maxAgeMs: 30_000 })
      const info = await manager.streams.info(subjects.stream)
      expect(info.config).toMatchObject({ max_bytes: 2 ** 25, max_age: 30_000_000_000 })
    })
  })
})
