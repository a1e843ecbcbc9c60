import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type CandidateOptions,
  comesToShow,
  expectOneChain,
  HandedLease,
  hashAt,
  hasRole,
  latestOf,
  listen,
  startCandidate,
} from '../../../test/support/candidates.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { hasNatsServer, type NatsServer, natsLog, natsSource, startNatsServer } from '../../../test/support/nats.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/networks.ts'
import { type Clock, systemClock } from '../../node/clock.ts'
import { openDataDirectory } from '../../node/data-directory.ts'
import type { Candidate } from '../../node/failover/candidate.ts'
import type { Lease } from '../../node/failover/lease.ts'
import { buildGenesis } from '../../node/genesis-chain.ts'
import { type RecordConnection, type RecordSource, SourceError } from '../../node/replica/record-source.ts'
import { createSchedule } from '../../node/schedule.ts'
import type { SharedLogDescription } from '../../node/shared-log/shared-log.ts'
import { DEFAULT_POOL_OPTIONS } from '../../pool/options.ts'
import { privateKeyToAddress } from '../../primitives/secp256k1.ts'
import { type ChainRecord, decodeRecord, encodeRecord } from '../../state/record.ts'
import { disk } from '../../storage/disk.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { openSegmentReader } from '../../storage/segment-reader.ts'

const { config, header } = createNetwork().genesis
const DESCRIPTION: SharedLogDescription = {
  chainId: config.chainId,
  genesisHash: buildGenesis(createNetwork().genesis).block.hash,
  settings: { blockTime: 1000, slots: 10, gasLimit: header.gasLimit, finalityDepth: 64 },
}

describe.skipIf(!hasNatsServer)('failover over NATS', () => {
  let server: NatsServer
  let lease: HandedLease
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(() => server.close())
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    const connection = await connect({ servers: server.url })
    const manager = await jetstreamManager(connection)
    for await (const name of manager.streams.names()) await manager.streams.delete(name)
    await connection.close()
  })

  async function start(name: string, options: Partial<CandidateOptions> = {}): Promise<Candidate> {
    const candidate = await startCandidate({ url: server.url, name, lease: lease.of(name), ...options })
    closing.push(() => candidate.stop())
    return candidate
  }

  async function pair(): Promise<readonly [leader: Candidate, standby: Candidate]> {
    lease = new HandedLease()
    lease.give('one')
    const leader = await start('one')
    const standby = await start('two')
    return [leader, standby]
  }

  async function newDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'tickertape-failover-'))
    closing.push(() => rm(directory, { recursive: true, force: true }))
    return directory
  }

  test('a standby goes on with the open block where the leader left it, and the leader follows without a restart', async () => {
    const [one, two] = await pair()
    const [first, second] = [listen(one), listen(two)]
    expect(await one.submit(signTransfer({ nonce: 0n }).raw)).toMatchObject({ kind: 'accepted' })
    await comesToShow(two, (node) => node.view().head.pending.index >= 2)
    expect(await one.setHead(999)).toMatchObject({ kind: 'refused' })
    await expect(two.setHead(0)).rejects.toMatchObject({ code: 'NOT_ON_REPLICA' })
    lease.give('two')
    await hasRole(two, 'leader')
    await hasRole(one, 'standby')
    expect(two.failover).toMatchObject({ takeOvers: 1, standDowns: 0, epoch: { leader: 'two' } })
    await comesToShow(one, ({ failover }) => failover.epoch?.leader === 'two')
    expect(one.failover.epoch).toEqual(two.failover.epoch)
    const height = latestOf(two)
    await comesToShow(one, (node) => latestOf(node) >= height + 2)
    lease.give('one')
    await hasRole(one, 'leader')
    await hasRole(two, 'standby')
    await comesToShow(two, (node) => latestOf(node) >= height + 4)
    await expectOneChain(one, two)
    expect(one.failover).toMatchObject({ takeOvers: 2, standDowns: 1 })
    expect(one.hasFailed || two.hasFailed).toBe(false)
    // Each heard all of it in order; where both listened they heard the same.
    const told = new Map(first.heard.map(({ number, index, hash }) => [`${number}/${index}`, hash]))
    const both = second.heard.filter(({ number, index }) => told.has(`${number}/${index}`))
    expect(both.length).toBeGreaterThan(20)
    for (const { number, index, hash } of both) expect(hash).toBe(told.get(`${number}/${index}`))
    expect(second.sealed.length).toBeGreaterThanOrEqual(4)
  })

  test('what was acknowledged and not pre-confirmed is included by the next leader', async () => {
    const [one, two] = await pair()
    const waiting = [signTransfer({ nonce: 1n }), signTransfer({ nonce: 2n })]
    for (const { raw } of waiting) expect(await one.submit(raw)).toMatchObject({ kind: 'accepted' })
    lease.give('two')
    await hasRole(two, 'leader')
    await hasRole(one, 'standby')
    // Until now they were behind a nonce gap; it is sent to the one that leads no more.
    expect(await one.submit(signTransfer({ nonce: 0n }).raw)).toMatchObject({ kind: 'accepted' })
    for (const candidate of [one, two]) {
      await comesToShow(candidate, (node) =>
        waiting.every(({ hash }) => node.view().transaction(hash)?.kind === 'included'),
      )
    }
    await expectOneChain(one, two)
  })

  test('what a leader dropped waits again when it stands down before others were told: the next leader has it still', async () => {
    lease = new HandedLease()
    lease.give('one')
    // The record goes out with the next flashblock, a second later.
    const schedule = createSchedule(2000, 1000)
    const pool = { ...DEFAULT_POOL_OPTIONS, lifetimeMs: 1 }
    const one = await start('one', { settings: { schedule, pool } })
    const two = await start('two', { settings: { schedule } })
    // The first block that is stored lists what waits: no record goes out besides for the next 63.
    await comesToShow(one, (node) => node.view().head.sealed.safe >= 1)
    const { raw, hash } = signTransfer({ nonce: 1n })
    expect(await one.submit(raw)).toMatchObject({ kind: 'accepted' })
    const dropped = new Promise<unknown>((resolve) => one.events.once('dropped', resolve))
    one.events.once('dropped', () => lease.give('two'))
    expect(await dropped).toEqual({ hash, reason: { code: 'EXPIRED' } })
    await hasRole(one, 'standby')
    expect(one.view().pool.get(hash)).toBeDefined()
    await hasRole(two, 'leader')
    expect(two.view().pool.get(hash)).toBeDefined()
    lease.give('one')
    await hasRole(one, 'leader')
    expect(one.view().pool.get(hash)).toBeDefined()
  })

  test('two that both believe to have the lease: the stream takes the records of one, and the other stands down', async () => {
    const [one, two] = await pair()
    await comesToShow(two, (node) => latestOf(node) >= 1)
    lease.give('one', 'two')
    await hasRole(two, 'leader')
    while (one.failover.standDowns === 0) await new Promise((resolve) => setImmediate(resolve))
    // It gave up its lease with that, and does not come back before it is given again.
    expect([...lease.holders]).toEqual(['two'])
    await hasRole(one, 'standby')
    const height = latestOf(two)
    await comesToShow(one, (node) => latestOf(node) > height)
    await expectOneChain(one, two)
  })

  test('a leader that stood still refuses nothing by what it knew before: another one leads by now', async () => {
    lease = new HandedLease()
    lease.give('one')
    const withheld: (() => void)[] = []
    let isStill = false
    const clock: Clock = {
      ...systemClock,
      at: (instant, action) => systemClock.at(instant, () => (isStill ? withheld.push(action) : action())),
    }
    const one = await start('one', { environment: { clock } })
    const two = await start('two')
    await comesToShow(two, (node) => latestOf(node) >= 1)
    isStill = true
    lease.give('two')
    await hasRole(two, 'leader')
    const privateKey = new Uint8Array(32).fill(7)
    const to = privateKeyToAddress(privateKey)
    const paid = signTransfer({ nonce: 0n, to, value: 10n ** 18n })
    expect(await two.submit(paid.raw)).toMatchObject({ kind: 'accepted' })
    await comesToShow(two, (node) => node.view().transaction(paid.hash)?.kind === 'included')
    expect(one.failover.role).toBe('leader')
    const spent = signTransfer({ privateKey, nonce: 0n })
    const sent = one.submit(spent.raw)
    // It goes on where it was, and learns that it is fenced.
    setImmediate(() => {
      isStill = false
      for (const action of withheld.splice(0)) action()
    })
    expect(await sent).toMatchObject({ kind: 'accepted', transaction: { hash: spent.hash } })
    await hasRole(one, 'standby')
    await expectOneChain(one, two)
  })

  test('a transaction that is sent while nobody leads waits for whoever does next', async () => {
    const [one, two] = await pair()
    lease.give()
    await hasRole(one, 'standby')
    const { raw, hash } = signTransfer({ nonce: 0n })
    const sent = two.submit(raw)
    lease.give('one')
    expect(await sent).toMatchObject({ kind: 'accepted', transaction: { hash } })
    expect(two.view().transaction(hash)).toBeDefined()
    expect(await two.submit(raw)).toMatchObject({ kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } })
  })

  test('nobody leads for too long: the sender is told that its transaction may not have been taken', async () => {
    const [one] = await pair()
    const three = await start('three', { settings: { submitLimit: 300 } })
    lease.give()
    await hasRole(one, 'standby')
    await expect(three.submit(signTransfer({ nonce: 0n }).raw)).rejects.toMatchObject({
      code: 'SEQUENCER_UNREACHABLE',
      message: expect.stringMatching(/may not have been taken/),
    })
  })

  test('while NATS is away nothing is announced or lost, whoever leads then', async () => {
    const [one, two] = await pair()
    await comesToShow(two, (node) => latestOf(node) >= 1)
    await server.kill()
    const { raw, hash } = signTransfer({ nonce: 0n })
    const sent = one.submit(raw)
    while ((one.publishing?.stalledFor ?? 0) === 0) await new Promise((resolve) => setImmediate(resolve))
    const shown = one.view().head.sequence
    lease.give('two')
    await hasRole(one, 'standby')
    expect(one.view().head.sequence).toBe(shown)
    await server.restart()
    expect(await sent).toMatchObject({ kind: 'accepted' })
    await hasRole(two, 'leader')
    for (const candidate of [one, two]) {
      await comesToShow(candidate, (node) => node.view().transaction(hash)?.kind === 'included')
    }
    await expectOneChain(one, two)
  })

  test('a leader that stops lets the next one go on, and comes back as a standby with its directory', async () => {
    lease = new HandedLease()
    lease.give('one')
    const directory = await newDirectory()
    const one = await startCandidate({ url: server.url, name: 'one', lease: lease.of('one'), directory })
    const two = await start('two')
    await one.submit(signTransfer({ nonce: 0n }).raw)
    await comesToShow(two, (node) => latestOf(node) >= 1)
    await one.stop()
    expect(lease.holders.size).toBe(0)
    lease.give('two')
    await hasRole(two, 'leader')
    const again = await start('one', { directory })
    expect(again.failover.role).toBe('standby')
    const height = latestOf(two)
    await comesToShow(again, (node) => latestOf(node) > height)
    await expectOneChain(again, two)
  })

  test('a node that takes over a snapshot does not lead upon half of it, though nobody else does', async () => {
    let endSnapshot = () => {}
    const ended = new Promise<never>((_, reject) => {
      endSnapshot = () => reject(new SourceError('CLOSED', 'the giver is gone'))
    })
    ended.catch(() => undefined)
    let connections = 0
    let isCopying = false
    const begins = { kind: 'snapshot', number: 5, hash: DESCRIPTION.genesisHash, from: 7, poolSequence: 7 } as const
    const giver: RecordConnection = {
      welcome: { ...DESCRIPTION, firstSequence: 7, newestSequence: 9, begins },
      next: () => {
        isCopying = true
        return ended
      },
      submit: () => ended,
      close: () => endSnapshot(),
    }
    const stream = natsSource(server.url)
    const source: RecordSource = {
      name: 'giver',
      connect: async (greeting) => {
        connections += 1
        return connections === 1 ? giver : stream.connect(greeting)
      },
    }
    lease = new HandedLease()
    let [looks, asked] = [0, 0]
    const clock: Clock = {
      ...systemClock,
      at: (instant, action) => {
        looks += 1
        return systemClock.at(instant, action)
      },
    }
    const handed = lease.of('one')
    const counted: Lease = {
      holder: undefined,
      hold: (mayTake) => {
        asked += 1
        return handed.hold(mayTake)
      },
      release: () => handed.release(),
      close: () => handed.close(),
    }
    const starting = start('one', { lease: counted, environment: { source, clock } })
    while (!isCopying) await new Promise((resolve) => setImmediate(resolve))
    lease.give('one')
    const before = { looks, asked }
    while (looks < before.looks + 5) await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toBe(before.asked)
    endSnapshot()
    const one = await starting
    await comesToShow(one, (node) => latestOf(node) >= 1)
    expect(one.hasFailed).toBe(false)
  })

  /** Records of a chain that somebody else made, up to one of a kind; `after`: so many blocks before. */
  async function recordsUntil(isLast: (record: ChainRecord) => boolean): Promise<readonly LogRecord[]> {
    const directory = await newDirectory()
    const { node, nextBlock, nextFlashblock } = await startManualNode({
      directory,
      schedule: createSchedule(1000, 100),
    })
    expect(await node.submit(signTransfer({ nonce: 0n }).raw)).toMatchObject({ kind: 'accepted' })
    await nextBlock()
    await nextFlashblock()
    await node.stop()
    const records = [...openSegmentReader({ directory: join(directory, 'records') }, { fileSystem: disk }).read(1)]
    const end = records.findIndex(({ payload }) => isLast(decodeRecord(payload)))
    return records.slice(0, end + 1)
  }

  const ENDS: readonly [what: string, isLast: (record: ChainRecord) => boolean][] = [
    ["a block's last flashblock", (record) => record.kind === 'flashblock' && record.index === 10],
    ['a seal', (record) => record.kind === 'seal'],
    ['the opening of a block', (record) => record.kind === 'flashblock' && record.header.number === 2],
    ['what waits before the first flashblock', (record) => record.kind === 'pool'],
  ]

  test.each(ENDS)('where the records end with %s, the next leader goes on there', async (_, isLast) => {
    const records = await recordsUntil(isLast)
    const log = await natsLog(server.url).open(DESCRIPTION)
    closing.push(() => log.close())
    const publisher = log.publisher(0)
    // The last two together, as one that makes blocks would have done.
    for (const record of records.slice(0, -2)) publisher.add(record)
    await publisher.flush()
    lease = new HandedLease()
    const opening = start('one')
    const [one] = await Promise.all([opening, publishRest()])
    const { heard, sealed } = listen(one)
    const { sequence } = records.at(-1)!
    while (one.following.sequence < sequence) await new Promise((resolve) => setImmediate(resolve))
    const shown = one.view().head
    lease.give('one')
    await comesToShow(one, (node) => latestOf(node) >= 2)
    const { number } = shown.pending.block.header
    const next =
      shown.pending.index < 10 ? { number, index: shown.pending.index + 1 } : { number: number + 1, index: 0 }
    expect(heard).toContainEqual({ ...next, hash: expect.anything() })
    expect(sealed).toEqual(sealed.map((_, index) => hashAt(one, latestOf(one) - sealed.length + 1 + index)))
    const two = await start('two')
    await expectOneChain(one, two)

    async function publishRest(): Promise<void> {
      for (const record of records.slice(-2)) publisher.add(record)
      await publisher.flush()
    }
  })

  test('a tail that nobody was told of, and ends like the stream by chance, is not kept', async () => {
    const all = await recordsUntil((record) => record.kind === 'flashblock' && record.index === 4)
    const [empty] = all.slice(-1)
    const before = all.slice(0, -1)
    const first = before.at(-1)!.sequence + 1
    const end = { sequence: first + 1, payload: empty!.payload }
    const publish = async () => {
      const log = await natsLog(server.url).open(DESCRIPTION)
      const publisher = log.publisher(0)
      const epoch = {
        sequence: first,
        payload: encodeRecord({ kind: 'epoch', leader: 'two', token: new Uint8Array(8) }),
      }
      for (const record of [...before, epoch, end]) publisher.add(record)
      await publisher.flush()
      await log.close()
    }
    await publish()
    const { transaction } = await acceptedTransfer()
    const path = await newDirectory()
    const { chainId, genesisHash } = DESCRIPTION
    const directory = await openDataDirectory({ path, identity: { chainId, genesisHash } })
    const own = encodeRecord({ kind: 'pool', transactions: [transaction] })
    for (const payload of [...before.map((record) => record.payload), own, end.payload]) directory.log.append(payload)
    await directory.close()
    lease = new HandedLease()
    const one = await start('one', { directory: path })
    while (one.view().head.sequence < end.sequence) await new Promise((resolve) => setImmediate(resolve))
    expect(one.failover.epoch).toEqual({ sequence: first, leader: 'two' })
    expect(one.view().transaction(transaction.hash)).toBeUndefined()
  })

  async function acceptedTransfer() {
    const { node } = await startManualNode()
    const result = await node.submit(signTransfer({ nonce: 1n }).raw)
    await node.stop()
    if (result.kind !== 'accepted') throw new Error('it was refused')
    return result
  }
})
