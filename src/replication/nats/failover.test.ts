import { describe, expect, test } from 'vitest'
import {
  type CandidateOptions,
  comesToShow,
  expectOneChain,
  HandedLease,
  hasRole,
  latestOf,
  listen,
  startCandidate,
} from '../../../test/support/candidates.ts'
import { hasNatsServer, natsSource } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN, natsFixture } from '../../../test/support/nats-fixture.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { type Clock, systemClock } from '../../node/core/clock.ts'
import { type RecordConnection, type RecordSource, SourceError } from '../../node/log/record-source.ts'
import { createSchedule } from '../../node/production/building/schedule.ts'
import type { Lease } from '../../node/roles/failover/lease.ts'
import type { FailoverHandle } from '../../node/roles/node-handle.ts'
import { DEFAULT_POOL_OPTIONS } from '../../pool/options.ts'
import { privateKeyToAddress } from '../../primitives/secp256k1/secp256k1.ts'

describe.skipIf(!hasNatsServer)('failover over NATS', () => {
  const nats = natsFixture()
  const { newDirectory } = nats
  let lease: HandedLease

  const start = (name: string, options?: Partial<CandidateOptions>) => nats.start(name, lease, options)

  async function pair(): Promise<readonly [leader: FailoverHandle, standby: FailoverHandle]> {
    lease = new HandedLease()
    lease.give('one')
    const leader = await start('one')
    const standby = await start('two')
    return [leader, standby]
  }

  test('a standby resumes the open block of the leader, and the leader follows without a restart', async () => {
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
    // Each node emitted all events in order, and both emitted the same events while both followed.
    const messages = new Map(first.received.map(({ number, index, hash }) => [`${number}/${index}`, hash]))
    const both = second.received.filter(({ number, index }) => messages.has(`${number}/${index}`))
    expect(both.length).toBeGreaterThan(20)
    for (const { number, index, hash } of both) expect(hash).toBe(messages.get(`${number}/${index}`))
    expect(second.sealed.length).toBeGreaterThanOrEqual(4)
  })

  test('the next leader includes acknowledged transactions', async () => {
    const [one, two] = await pair()
    const waiting = [signTransfer({ nonce: 1n }), signTransfer({ nonce: 2n })]
    for (const { raw } of waiting) expect(await one.submit(raw)).toMatchObject({ kind: 'accepted' })
    lease.give('two')
    await hasRole(two, 'leader')
    await hasRole(one, 'standby')
    // They were behind a nonce gap until now; the client sends the missing transaction to the next leader.
    expect(await one.submit(signTransfer({ nonce: 0n }).raw)).toMatchObject({ kind: 'accepted' })
    for (const candidate of [one, two]) {
      await comesToShow(candidate, (node) =>
        waiting.every(({ hash }) => node.view().transaction(hash)?.kind === 'included'),
      )
    }
    await expectOneChain(one, two)
  })

  test('a transaction dropped in an unpublished record returns to the pool after the leader stands down', async () => {
    lease = new HandedLease()
    lease.give('one')
    // The record is published with the next flashblock, a second later.
    const schedule = createSchedule(2000, 1000)
    const pool = { ...DEFAULT_POOL_OPTIONS, transactionLifetimeMs: 1 }
    const one = await start('one', { leading: { schedule, pool } })
    const two = await start('two', { leading: { schedule } })
    // The first stored block writes a pool checkpoint; no further one follows for 63 blocks.
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

  test('one of two nodes with the lease publishes, and the other stands down', async () => {
    const [one, two] = await pair()
    await comesToShow(two, (node) => latestOf(node) >= 1)
    lease.give('one', 'two')
    await hasRole(two, 'leader')
    while (one.failover.standDowns === 0) await new Promise((resolve) => setImmediate(resolve))
    // It released its lease when it stood down, and does not try again before the lease is available to it.
    expect([...lease.holders]).toEqual(['two'])
    await hasRole(one, 'standby')
    const height = latestOf(two)
    await comesToShow(one, (node) => latestOf(node) > height)
    await expectOneChain(one, two)
  })

  test('a stalled leader confirms its leadership before it rejects a transaction', async () => {
    lease = new HandedLease()
    lease.give('one')
    const withheld: (() => void)[] = []
    let isStill = false
    const clock: Clock = {
      ...systemClock,
      at: (instant, action) => systemClock.at(instant, () => (isStill ? withheld.push(action) : action())),
    }
    const one = await start('one', { deps: { clock } })
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
    // The process resumes where it was suspended, and learns that it is fenced.
    setImmediate(() => {
      isStill = false
      for (const action of withheld.splice(0)) action()
    })
    expect(await sent).toMatchObject({ kind: 'accepted', transaction: { hash: spent.hash } })
    await hasRole(one, 'standby')
    await expectOneChain(one, two)
  })

  test('a transaction submitted without a leader waits for the next leader', async () => {
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

  test('reports an unknown outcome when there is no leader until the timeout', async () => {
    const [one] = await pair()
    const three = await start('three', { role: { submitTimeoutMs: 300 } })
    lease.give()
    await hasRole(one, 'standby')
    await expect(three.submit(signTransfer({ nonce: 0n }).raw)).rejects.toMatchObject({
      code: 'SEQUENCER_UNREACHABLE',
      message: expect.stringMatching(/may not have been taken/),
    })
  })

  test('nothing is announced or lost while NATS is unreachable, even if the leader changes', async () => {
    const [one, two] = await pair()
    await comesToShow(two, (node) => latestOf(node) >= 1)
    await nats.server.kill()
    const { raw, hash } = signTransfer({ nonce: 0n })
    const sent = one.submit(raw)
    while ((one.publishing?.stalledForMs ?? 0) === 0) await new Promise((resolve) => setImmediate(resolve))
    const shown = one.view().head.sequence
    lease.give('two')
    await hasRole(one, 'standby')
    expect(one.view().head.sequence).toBe(shown)
    await nats.server.restart()
    expect(await sent).toMatchObject({ kind: 'accepted' })
    await hasRole(two, 'leader')
    for (const candidate of [one, two]) {
      await comesToShow(candidate, (node) => node.view().transaction(hash)?.kind === 'included')
    }
    await expectOneChain(one, two)
  })

  test('a stopped leader releases the lease, and returns as a standby with its directory', async () => {
    lease = new HandedLease()
    lease.give('one')
    const directory = await newDirectory()
    const one = await startCandidate({ url: nats.server.url, name: 'one', lease: lease.of('one'), directory })
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

  test('a node does not try for the lease while it restores a snapshot', async () => {
    let endSnapshot = () => {}
    const ended = new Promise<never>((_, reject) => {
      endSnapshot = () => reject(new SourceError('CLOSED', 'the source closed the connection'))
    })
    ended.catch(() => undefined)
    let connections = 0
    let isCopying = false
    const begins = { kind: 'snapshot', number: 5, hash: CANDIDATE_CHAIN.genesisHash, from: 7, poolSequence: 7 } as const
    const giver: RecordConnection = {
      handshake: { ...CANDIDATE_CHAIN, firstSequence: 7, newestSequence: 9, begins },
      next: () => {
        isCopying = true
        return ended
      },
      submit: () => ended,
      request: () => ended,
      close: () => endSnapshot(),
    }
    const stream = natsSource(nats.server.url)
    const source: RecordSource = {
      name: 'giver',
      connect: async (hello) => {
        connections += 1
        return connections === 1 ? giver : stream.connect(hello)
      },
    }
    lease = new HandedLease()
    let [looks, requested] = [0, 0]
    const clock: Clock = {
      ...systemClock,
      at: (instant, action) => {
        looks += 1
        return systemClock.at(instant, action)
      },
    }
    const handed = lease.of('one')
    const counted: Lease = {
      ...handed,
      holder: undefined,
      hold: (mayTake) => {
        requested += 1
        return handed.hold(mayTake)
      },
    }
    const starting = start('one', { lease: counted, role: { source }, deps: { clock } })
    while (!isCopying) await new Promise((resolve) => setImmediate(resolve))
    lease.give('one')
    const before = { looks, requested }
    while (looks < before.looks + 5) await new Promise((resolve) => setImmediate(resolve))
    expect(requested).toBe(before.requested)
    endSnapshot()
    const one = await starting
    await comesToShow(one, (node) => latestOf(node) >= 1)
    expect(one.hasFailed).toBe(false)
  })
})
