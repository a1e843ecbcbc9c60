import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterEach, describe, expect, test } from 'vitest'
import { hasNatsServer, natsLog, startNatsCluster } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN } from '../../../test/support/nats-fixture.ts'
import { NatsLease } from './nats-lease.ts'
import { chainSubjects } from './nats-stream.ts'

const RECORDS = chainSubjects(CANDIDATE_CHAIN).stream
const BUCKET = `KV_tickertape-lease-${CANDIDATE_CHAIN.genesisHash.slice(2)}`
const TIMING = { connectTimeoutMs: 1_000, requestTimeoutMs: 1_000, pingIntervalMs: 500, holdTimeoutMs: 1_000 }

describe.skipIf(!hasNatsServer)('a lease in a cluster of NATS servers', () => {
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  test('the lease moves to another server than the one that leads the records', {
    timeout: 120_000,
  }, async () => {
    const cluster = await startNatsCluster(3)
    closing.push(() => cluster.close())
    const urls = cluster.url.replaceAll(',', ',nats://')
    const connection = await connect({ servers: urls.split(',') })
    closing.push(() => connection.close())
    const manager = await jetstreamManager(connection)
    const log = await natsLog(urls, { limits: { maxBytes: 2 ** 26, maxAgeMs: 0, replicas: 3 } }).open(CANDIDATE_CHAIN)
    closing.push(() => log.close())
    const options = {
      ...TIMING,
      urls,
      chain: CANDIDATE_CHAIN,
      replicas: 3,
      leaseTtlMs: 600_000,
      maxClockOffsetMs: 3_000,
      wall: Date.now,
      id: 'one',
      name: 'one',
    }
    const lease = new NatsLease({ ...options, checkIntervalMs: 500 })
    closing.push(() => lease.close())
    const leaderOf = async (name: string) => (await manager.streams.info(name)).cluster?.leader
    const leaders = async () => {
      const [one, other] = await Promise.all([leaderOf(BUCKET), leaderOf(RECORDS)])
      if (one === undefined || other === undefined) return 'none'
      return one === other ? 'one' : 'two'
    }
    // During an election neither leader can be requested.
    const polling = { interval: 20, timeout: 20_000 }
    const isHeld = (mayTake: boolean) => expect.poll(() => lease.hold(mayTake), polling)
    const stepDown = `$JS.API.STREAM.LEADER.STEPDOWN.${BUCKET}`
    // A node that only polls the lease moves nothing: first both get the same leader.
    await isHeld(false).toBe(false)
    const broughtTogether = async () => {
      const led = await leaders()
      if (led === 'two') await connection.request(stepDown)
      return led
    }
    await expect.poll(broughtTogether, polling).toBe('one')
    await isHeld(true).toBe(true)
    await expect.poll(leaders, polling).toBe('two')
    await isHeld(true).toBe(true)
  })
})
