import { JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNatsServer, type NatsCluster, natsLog, startNatsCluster } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN } from '../../../test/support/nats-fixture.ts'
import type { Hash } from '../../primitives/hex.ts'
import { NatsLease } from './nats-lease.ts'
import { chainSubjects } from './nats-stream.ts'

const TIMING = { connectTimeoutMs: 1_000, requestTimeoutMs: 1_000, pingIntervalMs: 500, checkIntervalMs: 60_000 }
const { stream } = chainSubjects(CANDIDATE_CHAIN)

describe.skipIf(!hasNatsServer)('NATS servers without a meta leader', () => {
  const closing: (() => Promise<unknown>)[] = []
  let cluster: NatsCluster
  let urls: string
  let manager: JetStreamManager
  let lease: NatsLease

  beforeAll(async () => {
    cluster = await startNatsCluster(3)
    closing.push(() => cluster.close())
    urls = cluster.url.replaceAll(',', ',nats://')
    const connection = await connect({ servers: urls.split(','), maxReconnectAttempts: -1, reconnectTimeWait: 50 })
    closing.push(() => connection.close())
    manager = await jetstreamManager(connection, { timeout: 1_000 })
    // Reserved storage would place all other streams on other servers.
    const log = await natsLog(urls, { limits: { maxBytes: -1, maxAgeMs: 0, replicas: 1 } }).open(CANDIDATE_CHAIN)
    closing.push(() => log.close())
    // Each stream is stored on one server, so that it works without the others.
    const kept = await serverOf(stream)
    lease = await leaseOn(kept)
    expect(await lease.hold(true)).toBe(true)
    await Promise.all([0, 1, 2].filter((index) => index !== kept).map((index) => cluster.kill(index)))
    await withoutLeader()
  }, 60_000)
  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  async function serverOf(name: string): Promise<number> {
    for (;;) {
      // Other servers learn of a new stream a moment later.
      const found = await manager.streams.info(name).catch(() => undefined)
      const leader = found?.cluster?.leader
      if (leader !== undefined && leader !== '') return Number(leader.slice('server'.length))
    }
  }

  /** NATS chooses the server of a bucket. */
  async function leaseOn(server: number): Promise<NatsLease> {
    for (let attempt = 0; ; attempt += 1) {
      const chain = { chainId: 1n, genesisHash: `0x${attempt.toString(16).padStart(64, '0')}` as Hash }
      const options = { ...TIMING, urls, chain, replicas: 1, leaseTtlMs: 600_000, holdTimeoutMs: 1_000 }
      const one = new NatsLease({ ...options, maxClockOffsetMs: 3_000, wall: Date.now, id: 'one', name: 'one' })
      await one.hold(false)
      if ((await serverOf(`KV_tickertape-lease-${chain.genesisHash.slice(2)}`)) === server) {
        closing.push(() => one.close())
        return one
      }
      await one.close()
    }
  }

  /** Resolves when the remaining server has noticed the loss of the others, after it has started an election. */
  async function withoutLeader(): Promise<void> {
    for (;;) {
      const error = await manager.streams.getMessage(stream, { seq: 1 }).catch((reason: unknown) => reason)
      if (error instanceof JetStreamApiError && error.code === 10_008) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  test('a released lease can be acquired without a meta leader', async () => {
    await lease.release()
    expect(await lease.hold(true)).toBe(true)
  })
})
