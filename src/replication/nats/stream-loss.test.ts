import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import {
  comesToShow,
  expectOneChain,
  HandedLease,
  latestOf,
  listen,
  startCandidate,
} from '../../../test/support/candidates.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { hasNatsServer, natsLog, natsSource } from '../../../test/support/nats.ts'
import { natsFixture } from '../../../test/support/nats-fixture.ts'
import { caughtUp, startReplica } from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import type { ReplicatedLogDescription } from '../../node/log/replicated-log.ts'
import { createSchedule } from '../../node/production/building/schedule.ts'
import type { FailoverHandle } from '../../node/roles/node-handle.ts'
import { chainSubjects } from './nats-stream.ts'

const { config, header } = createNetwork().genesis
const DESCRIPTION: ReplicatedLogDescription = {
  chainId: config.chainId,
  genesisHash: buildGenesis(createNetwork().genesis).block.hash,
  settings: { blockTime: 2000, slots: 10, gasLimit: header.gasLimit, finalityDepth: 64 },
}

describe.skipIf(!hasNatsServer)('a NATS stream that has lost records', () => {
  const nats = natsFixture()
  const { closing, newDirectory } = nats

  async function deleteStream(): Promise<void> {
    const connection = await connect({ servers: nats.server.url })
    const manager = await jetstreamManager(connection)
    await manager.streams.delete(chainSubjects(DESCRIPTION).stream)
    await connection.close()
  }

  async function pair(): Promise<readonly [leader: FailoverHandle, standby: FailoverHandle]> {
    const lease = new HandedLease()
    lease.give('one')
    const one = await startCandidate({ url: nats.server.url, name: 'one', lease: lease.of('one') })
    closing.push(() => one.stop())
    const two = await startCandidate({ url: nats.server.url, name: 'two', lease: lease.of('two') })
    closing.push(() => two.stop())
    return [one, two]
  }

  test('a node whose stream was replaced fails with LOST; its next start publishes its records', async () => {
    const directory = await newDirectory()
    const { node, clock, nextBlock } = await startManualNode({
      directory,
      replicatedLog: natsLog(nats.server.url),
    })
    await nextBlock()
    await deleteStream()
    await (await natsLog(nats.server.url).open(DESCRIPTION)).close()
    const failed = new Promise<unknown>((resolve) => node.events.once('failed', resolve))
    clock.moveTo(clock.next!)
    expect(await failed).toMatchObject({ code: 'LOST', message: expect.stringMatching(/restart this node/) })
    const { hash } = node.view().head.pending.block
    await node.stop()
    const again = await startManualNode({ directory, replicatedLog: natsLog(nats.server.url) })
    closing.push(() => again.node.stop())
    const replica = await startReplica(natsSource(nats.server.url))
    closing.push(() => replica.stop())
    await caughtUp(replica, again.node)
    expect(replica.view().head.pending.block.hash).toBe(hash)
  })

  test('a node whose stream was deleted says so and what to do; its next start creates the stream', async () => {
    const directory = await newDirectory()
    const warned: Error[] = []
    const warn = (details: object) => 'err' in details && warned.push(details.err as Error)
    const log = natsLog(nats.server.url, {}, { warn, error: () => {} })
    const { node, clock, nextBlock } = await startManualNode({ directory, replicatedLog: log })
    await nextBlock()

    await deleteStream()
    clock.moveTo(clock.next!)

    while (warned.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(warned[0]!.message).toBe(
      `the stream ${chainSubjects(DESCRIPTION).stream} of ${nats.server.url} was deleted: restart this node, which ` +
        'creates it again and publishes what it has',
    )
    await node.stop()
    const again = await startManualNode({ directory, replicatedLog: natsLog(nats.server.url) })
    closing.push(() => again.node.stop())
    await again.nextBlock()
  })

  test('a leader creates a deleted stream again, with all announced records, without a restart', async () => {
    const [one, two] = await pair()
    await one.submit(signTransfer({ nonce: 0n }).raw)
    await comesToShow(two, (node) => latestOf(node) >= 1)
    const received = listen(two)
    await deleteStream()
    const height = latestOf(one)
    for (const candidate of [one, two]) await comesToShow(candidate, (node) => latestOf(node) >= height + 2)
    expect(one.failover).toMatchObject({ role: 'leader', takeOvers: 2 })
    expect(two.failover).toMatchObject({ role: 'standby', takeOvers: 0 })
    expect(received.received.length).toBeGreaterThan(10)
    await expectOneChain(one, two)
  })

  test('a leader publishes acknowledged records again that the stream has lost', async () => {
    const [one, two] = await pair()
    await comesToShow(two, (node) => latestOf(node) >= 1)
    await nats.server.keepStore()
    const { received } = listen(two)
    const { raw, hash } = signTransfer({ nonce: 0n })
    expect(await one.submit(raw)).toMatchObject({ kind: 'accepted' })
    const kept = latestOf(two)
    await comesToShow(two, (node) => latestOf(node) > kept)
    await nats.server.bringBackStore()
    const height = latestOf(two)
    for (const candidate of [one, two]) await comesToShow(candidate, (node) => latestOf(node) >= height + 2)
    await expectOneChain(one, two)
    expect(two.view().transaction(hash)?.kind).toBe('included')
    for (const { number, hash: messages } of received.filter((flashblock) => flashblock.number <= height)) {
      expect(two.view().number({ kind: 'hash', hash: messages, requireCanonical: false })).toBe(number)
    }
    expect(one.failover).toMatchObject({ role: 'leader', takeOvers: 2 })
    expect(one.hasFailed || two.hasFailed).toBe(false)
  })

  test('a node keeps announced flashblocks when it starts on a stream that lost them', async () => {
    const directory = await newDirectory()
    const lease = new HandedLease()
    const leading = { schedule: createSchedule(30_000, 100) }
    const start = async () => {
      lease.give('one')
      const node = await startCandidate({
        url: nats.server.url,
        name: 'one',
        lease: lease.of('one'),
        directory,
        leading,
      })
      closing.push(() => node.stop())
      return node
    }
    const one = await start()
    await comesToShow(one, (node) => node.failover.role === 'leader')
    await nats.server.keepStore()
    const { received } = listen(one)
    const { raw, hash } = signTransfer({ nonce: 0n })
    expect(await one.submit(raw)).toMatchObject({ kind: 'accepted' })
    await comesToShow(one, (node) => node.view().transaction(hash)?.kind === 'included' && received.length > 3)
    await one.stop()
    await nats.server.bringBackStore()
    const again = await start()
    expect(again.view().transaction(hash)?.kind).toBe('included')
    for (const { number, hash: messages } of received)
      expect(again.view().number({ kind: 'hash', hash: messages, requireCanonical: false })).toBe(number)
    const { received: receivedAgain } = listen(again)
    await comesToShow(again, () => receivedAgain.length > 2)
    expect(receivedAgain[0]).toMatchObject({ number: 1, index: received.at(-1)!.index + 1 })
    expect(again.view().transaction(hash)?.kind).toBe('included')
  })
})
