import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import {
  comesToShow,
  expectOneChain,
  hasRole,
  latestOf,
  listen,
  startCandidate,
} from '../../../test/support/candidates.ts'
import { hasNatsServer } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN, natsFixture } from '../../../test/support/nats-fixture.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { FailoverHandle } from '../../node/roles/node-handle.ts'
import { ClusterClient } from './cluster-client.ts'
import { NatsLease } from './nats-lease.ts'
import { NatsPeers } from './nats-peers.ts'
import { chainSubjects } from './nats-stream.ts'

const TIMING = { connectTimeoutMs: 2_000, requestTimeoutMs: 2_000, pingIntervalMs: 500 }

describe.skipIf(!hasNatsServer)('a planned hand-over', () => {
  const nats = natsFixture()

  /** @param isMute whether it answers no other node */
  async function start(name: string, { isMute = false } = {}): Promise<FailoverHandle> {
    const shared = { urls: nats.server.url, chain: CANDIDATE_CHAIN, id: name, name, wall: Date.now, ...TIMING }
    const lease = new NatsLease({
      ...shared,
      replicas: 1,
      leaseTtlMs: 5_000,
      holdTimeoutMs: 1_000,
      checkIntervalMs: 1_000,
      maxClockOffsetMs: 3_000,
    })
    const peers = new NatsPeers({ ...shared, version: '1' }, { log: { warn: () => {} } })
    if (isMute) peers.lead = () => Promise.resolve(false)
    const leaseTiming = { pollIntervalMs: 500, renewIntervalMs: 500, graceMs: 0 }
    const node = await startCandidate({ url: nats.server.url, name, lease, role: { peers, leaseTiming } })
    nats.closing.push(() => node.stop())
    return node
  }

  async function cluster() {
    const client = await ClusterClient.connect(nats.server.url, TIMING, { wall: Date.now })
    nats.closing.push(() => client.close())
    const [chain] = await client.chains()
    const handOver = async (to?: string) => {
      const leader = (await client.nodes(chain!)).find(({ role }) => role === 'leader')!
      return client.handOver(chain!, { leader, to, timeoutMs: 10_000 })
    }
    return { state: () => client.state(chain!), handOver }
  }

  test('the standby continues the open block, with the pool and every acknowledged transaction', async () => {
    const one = await start('one')
    const two = await start('two')
    const [first, second] = [listen(one), listen(two)]
    // Behind a nonce gap: they stay in the pool.
    const waiting = [signTransfer({ nonce: 1n }), signTransfer({ nonce: 2n })]
    for (const { raw } of waiting) expect(await one.submit(raw)).toMatchObject({ kind: 'accepted' })
    await comesToShow(two, (node) => node.view().head.pending.index >= 2)
    const { state, handOver } = await cluster()

    expect(await handOver('two')).toMatchObject({ kind: 'handed-over', to: 'two' })

    await hasRole(two, 'leader')
    await hasRole(one, 'standby')
    for (const { hash } of waiting) expect(two.view().pool.get(hash)).toBeDefined()
    expect(await one.submit(signTransfer({ nonce: 0n }).raw)).toMatchObject({ kind: 'accepted' })
    for (const node of [one, two]) {
      await comesToShow(node, (shown) =>
        waiting.every(({ hash }) => shown.view().transaction(hash)?.kind === 'included'),
      )
    }
    await expectOneChain(one, two)
    expect(first.received.length).toBeGreaterThan(5)
    expect(second.received.length).toBeGreaterThan(5)
    expect(one.failover).toMatchObject({ takeOvers: 1, standDowns: 1, epoch: two.failover.epoch })
    const shown = await state()
    expect(shown.lease).toMatchObject({ holder: 'two', leaseTtlMs: 5_000 })
    expect(shown.nodes.map(({ name, role }) => [name, role]).sort()).toEqual([
      ['one', 'standby'],
      ['two', 'leader'],
    ])
    for (const node of shown.nodes) {
      expect(node).toMatchObject({ version: '1', epoch: { leader: 'two' } })
      expect(Math.abs(node.clockOffsetMs)).toBeLessThan(1_000)
    }
  })

  test('changes nothing without a ready standby, or to an unknown one', async () => {
    const one = await start('one')
    const { handOver } = await cluster()

    expect(await handOver()).toMatchObject({ kind: 'refused', message: 'no other node answers' })
    const two = await start('two')
    expect(await handOver('three')).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/no node named three answers.* two$/),
    })

    expect(one.failover).toMatchObject({ role: 'leader', takeOvers: 1, standDowns: 0 })
    expect(two.failover.takeOvers).toBe(0)
  })

  test('a node answers no request in another form, and goes on', async () => {
    const one = await start('one')
    const { state } = await cluster()
    const connection = await connect({ servers: nats.server.url })
    nats.closing.push(() => connection.close())
    const subject = chainSubjects(CANDIDATE_CHAIN).peers

    for (const text of ['', '{', 'null', '7', '{"kind":"applied"}', '{"kind":"applied","sequence":"1"}']) {
      const answer = connection.request(subject, text, { timeout: 200 })
      await expect(answer, text).rejects.toThrow(/timeout/i)
    }

    expect((await state()).nodes).toMatchObject([{ name: 'one', role: 'leader' }])
    expect(one.failover.role).toBe('leader')
  })

  test('the leader resumes when the standby does not take the lease in time', async () => {
    const one = await start('one', { isMute: true })
    const two = await start('two')
    const { raw, hash } = signTransfer({ nonce: 0n })
    await comesToShow(two, (node) => latestOf(node) >= 1)
    const { handOver } = await cluster()

    const result = handOver('two')
    await hasRole(one, 'handing-over')
    const sent = one.submit(raw)

    expect(await result).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/two did not take over in time: this node resumes unless it lost the lead/),
    })
    await hasRole(one, 'leader')
    expect(await sent).toMatchObject({ kind: 'accepted', transaction: { hash } })
    await comesToShow(two, (node) => node.view().transaction(hash)?.kind === 'included')
    await expectOneChain(one, two)
    expect(one.failover).toMatchObject({ takeOvers: 2, standDowns: 1 })
    expect(two.failover.takeOvers).toBe(0)
  })
})
