import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { HandedLease, hasRole } from '../../../test/support/candidates.ts'
import { hasNatsServer, natsLog } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN, natsFixture } from '../../../test/support/nats-fixture.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import { createSchedule } from '../../node/production/building/schedule.ts'
import type { NatsLogOptions } from './nats-log.ts'
import { chainSubjects, openStream } from './nats-stream.ts'

describe.skipIf(!hasNatsServer)('settings in the stream description', () => {
  const nats = natsFixture()

  async function settings(): Promise<Record<string, unknown>> {
    const connection = await connect({ servers: nats.server.url })
    try {
      const { config } = await (await jetstreamManager(connection)).streams.info(chainSubjects(CANDIDATE_CHAIN).stream)
      return JSON.parse(config.description ?? '').settings
    } finally {
      await connection.close()
    }
  }

  async function blockTime(): Promise<unknown> {
    return (await settings()).blockTime
  }

  test('the leader writes them, a standby does not', async () => {
    const lease = new HandedLease()
    lease.give('one')
    const one = await nats.start('one', lease)
    await hasRole(one, 'leader')
    const other = await nats.start('other', lease, { leading: { schedule: createSchedule(2000, 100) } })
    expect(other.failover.role).toBe('standby')
    expect(await blockTime()).toBe(1000)
    lease.give('other')
    await hasRole(other, 'leader')
    while ((await blockTime()) !== 2000) await new Promise((resolve) => setImmediate(resolve))
  })

  test('a node with other forks is refused, whether or not another one leads', async () => {
    const lease = new HandedLease()
    lease.give('one')
    const forked = (fork: 'prague' | 'osaka') => ({ settings: { genesis: createNetwork({ fork }).genesis } })
    const one = await nats.start('one', lease, forked('osaka'))
    await hasRole(one, 'leader')
    while ((await settings()).forks === undefined) await new Promise((resolve) => setImmediate(resolve))
    const refusal = { code: 'FOREIGN_CHAIN', message: expect.stringContaining('--hardfork osaka') }

    await expect(nats.start('standby', lease, forked('prague'))).rejects.toMatchObject(refusal)
    await one.stop()
    lease.give('next')
    await expect(nats.start('next', lease, forked('prague'))).rejects.toMatchObject(refusal)
    await hasRole(await nats.start('next', lease, forked('osaka')), 'leader')
  })

  test('a failover node whose chain has no stream is refused beside another chain, unless it begins a new one', async () => {
    const lease = new HandedLease()
    lease.give('one')
    await hasRole(await nats.start('one', lease), 'leader')
    const { genesis } = createNetwork({ gasLimit: 12_345_678n })
    const other = (options: Partial<NatsLogOptions>) =>
      nats.start('other', new HandedLease(), {
        settings: { genesis },
        role: { replicatedLog: natsLog(nats.server.url, { tellsLoss: true, ...options }) },
      })
    const streams = async () => {
      const connection = await connect({ servers: nats.server.url })
      const names = await (await jetstreamManager(connection)).streams.names().next()
      await connection.close()
      return names.length
    }

    await expect(other({ neighbours: [] })).rejects.toMatchObject({
      code: 'FOREIGN_CHAIN',
      message: expect.stringContaining('--new-chain'),
    })
    expect(await streams()).toBe(1)
    const neighbours = [CANDIDATE_CHAIN.genesisHash]
    const log = natsLog(nats.server.url, { neighbours })
    const chain = { ...CANDIDATE_CHAIN, genesisHash: buildGenesis(genesis).block.hash }
    await (await log.open(chain)).close()

    expect(await streams()).toBe(2)
  })

  test('a leader that stands down while it reads them does not overwrite them', async () => {
    const connection = await connect({ servers: nats.server.url })
    const manager = await jetstreamManager(connection)
    const limits = { maxBytes: 2 ** 20, maxAgeMs: 0, replicas: 1 }
    const settings = { blockTime: 1000, slots: 10, gasLimit: 1n, finalityDepth: 64 }
    await openStream(manager, { ...CANDIDATE_CHAIN, settings }, limits)
    const leading = new AbortController()
    const slow = {
      streams: {
        async info(name: string) {
          const info = await manager.streams.info(name)
          leading.abort()
          return info
        },
        update: manager.streams.update.bind(manager.streams),
      },
    } as unknown as JetStreamManager

    const describing = openStream(
      slow,
      { ...CANDIDATE_CHAIN, settings: { ...settings, blockTime: 2000 } },
      limits,
      leading.signal,
    )

    await expect(describing).rejects.toThrow()
    expect(await blockTime()).toBe(1000)
    await connection.close()
  })
})
