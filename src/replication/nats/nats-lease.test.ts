import { jetstreamManager } from '@nats-io/jetstream'
import { connect, nanos } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasNatsServer, isNatsSupported, type NatsServer, startNatsServer } from '../../../test/support/nats.ts'
import type { Hash } from '../../primitives/hex.ts'
import { NatsLease, type NatsLeaseOptions } from './nats-lease.ts'

const CHAIN = { chainId: 31_337n, genesisHash: `0x${'ab'.repeat(32)}` as Hash }
const BUCKET = `KV_tickertape-lease-${'ab'.repeat(32)}`

describe.skipIf(!hasNatsServer)('a lease in NATS', () => {
  let server: NatsServer
  let leases: NatsLease[] = []
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(() => server.close())
  afterEach(async () => {
    for (const lease of leases) await lease.close()
    leases = []
    await withManager((manager) => manager.streams.delete(BUCKET).catch(() => false))
  })

  async function withManager<T>(
    use: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
  ): Promise<T> {
    const connection = await connect({ servers: server.url })
    try {
      return await use(await jetstreamManager(connection))
    } finally {
      await connection.close()
    }
  }

  function leaseOf(name: string, options: Partial<NatsLeaseOptions> = {}): NatsLease {
    const timing = {
      connectTimeoutMs: 1_000,
      requestTimeoutMs: 1_000,
      pingIntervalMs: 500,
      holdTimeoutMs: 1_000,
      checkIntervalMs: 100,
    }
    const lease = new NatsLease({
      urls: server.url,
      chain: CHAIN,
      replicas: 1,
      leaseTtlMs: 60_000,
      maxClockOffsetMs: 3_000,
      wall: Date.now,
      id: name,
      name,
      ...timing,
      ...options,
    })
    leases.push(lease)
    return lease
  }

  test('one of several concurrent candidates acquires it and keeps it', async () => {
    const many = ['a', 'b', 'c', 'd'].map((name) => leaseOf(name))
    const held = await Promise.all(many.map((lease) => lease.hold(true)))
    expect(held.filter((isHeld) => isHeld)).toHaveLength(1)
    const winner = held.indexOf(true)
    expect(await Promise.all(many.map((lease) => lease.hold(true)))).toEqual(held)
    expect(many.map(({ holder }) => holder)).toEqual(many.map(() => 'abcd'[winner]))
  })

  test('a released lease is free immediately, and only its holder can release it', async () => {
    const [one, other] = [leaseOf('one'), leaseOf('other')]
    expect(await one.hold(true)).toBe(true)
    await other.release()
    expect(await other.hold(true)).toBe(false)
    await one.release()
    expect(await other.hold(true)).toBe(true)
    expect(await one.hold(true)).toBe(false)
    await one.release()
    expect(await other.hold(true)).toBe(true)
  })

  test('a passed lease goes to the named node, even if another node asks first', async () => {
    const [one, two, three] = [leaseOf('one'), leaseOf('two'), leaseOf('three')]
    await one.hold(true)

    expect(await one.pass({ id: 'two', name: 'two' })).toBe(true)

    expect(await three.hold(true)).toBe(false)
    expect(await one.hold(true)).toBe(false)
    expect(one.holder).toBe('two')
    expect(await two.hold(false)).toBe(true)
    expect(await two.hold(true)).toBe(true)
  })

  test('a passed lease can be taken back until the named node acquires it', async () => {
    const [one, two] = [leaseOf('one'), leaseOf('two')]
    await one.hold(true)
    await one.pass({ id: 'two', name: 'two' })

    expect(await one.takeBack()).toBe(true)
    expect(await two.hold(true)).toBe(false)
    await one.pass({ id: 'two', name: 'two' })
    expect(await two.hold(true)).toBe(true)
    expect(await one.takeBack()).toBe(false)
    expect(await two.hold(true)).toBe(true)
  })

  test('only the holder passes a lease', async () => {
    const [one, two] = [leaseOf('one', { leaseTtlMs: 300 }), leaseOf('two', { leaseTtlMs: 300 })]
    expect(await two.pass({ id: 'one', name: 'one' })).toBe(false)
    await one.hold(true)
    while (!(await two.hold(true))) await new Promise((resolve) => setTimeout(resolve, 20))

    expect(await one.pass({ id: 'three', name: 'three' })).toBe(false)
    expect(await two.hold(true)).toBe(true)
  })

  test.runIf(isNatsSupported)('a node with a wrong clock does not acquire a lease that was passed to it', async () => {
    const one = leaseOf('one')
    await one.hold(true)
    await one.pass({ id: 'ahead', name: 'ahead' })

    const ahead = leaseOf('ahead', { wall: () => Date.now() + 3_650_000 })
    await expect(ahead.hold(true)).rejects.toThrow(/its clock differs by 36\d{5} ms/)

    expect(await one.takeBack()).toBe(true)
  })

  test('expires without renewal', async () => {
    const [one, other] = [leaseOf('one', { leaseTtlMs: 300 }), leaseOf('other', { leaseTtlMs: 300 })]
    expect(await one.hold(true)).toBe(true)
    while (!(await other.hold(true))) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await one.hold(true)).toBe(false)
    expect(one.holder).toBe('other')
  })

  test('hold(false) does not acquire a free lease', async () => {
    expect(await leaseOf('one').hold(false)).toBe(false)
    expect(await leaseOf('other').hold(true)).toBe(true)
  })

  test.runIf(isNatsSupported)('a node whose clock differs from that of the servers does not acquire it', async () => {
    const ahead = leaseOf('ahead', { wall: () => Date.now() + 3_650_000 })
    await expect(ahead.hold(true)).rejects.toThrow(/its clock differs by 36\d{5} ms/)
    const behind = leaseOf('behind', { wall: () => Date.now() - 10_000 })
    await expect(behind.hold(true)).rejects.toThrow(/its clock differs by \d+ ms/)
    expect(await leaseOf('right').hold(true)).toBe(true)
  })

  test.runIf(isNatsSupported)(
    'a holder learns how far its clock is from that of the servers while it leads',
    async () => {
      let wrongBy = 0
      let told: (offsetMs: number) => void = () => {}
      const lease = leaseOf('one', { wall: () => Date.now() + wrongBy, onClockOffset: (offsetMs) => told(offsetMs) })
      const offsetThat = (isMet: (offsetMs: number) => boolean) =>
        new Promise<number>((resolve) => {
          told = (offsetMs) => isMet(offsetMs) && resolve(offsetMs)
        })
      expect(await lease.hold(true)).toBe(true)

      wrongBy = 3_600_000
      expect(await offsetThat((offsetMs) => offsetMs > 1_000)).toBeLessThan(3_610_000)
      expect(lease.clockOffsetMs).toBeGreaterThan(3_590_000)
      wrongBy = -3_600_000
      expect(await offsetThat((offsetMs) => offsetMs < -1_000)).toBeGreaterThan(-3_610_000)
      expect(await lease.hold(true)).toBe(true)
    },
  )

  test('a node whose acknowledgement was lost recognises its own lease', async () => {
    expect(await leaseOf('one').hold(true)).toBe(true)
    // For others, this is the same process.
    expect(await leaseOf('one').hold(false)).toBe(true)
  })

  test('hold() rejects while NATS is unreachable and keeps the lease afterwards', async () => {
    const lease = leaseOf('one', { holdTimeoutMs: 300 })
    expect(await lease.hold(true)).toBe(true)
    await server.kill()
    await expect(lease.hold(true)).rejects.toThrow()
    await server.restart()
    for (;;) {
      const isHeld = await lease.hold(true).catch(() => undefined)
      await new Promise((resolve) => setImmediate(resolve))
      if (isHeld !== undefined) {
        expect(isHeld).toBe(true)
        break
      }
    }
  })

  test('recreates a deleted bucket', async () => {
    const [one, other] = [leaseOf('one'), leaseOf('other')]
    expect(await one.hold(true)).toBe(true)
    expect(await other.hold(true)).toBe(false)
    await withManager((manager) => manager.streams.delete(BUCKET))
    await expect(one.hold(true)).rejects.toThrow()
    await expect(other.hold(true)).rejects.toThrow()
    expect(await one.hold(true)).toBe(true)
    expect(await other.hold(true)).toBe(false)
  })

  test('refuses another duration while a node leads, and takes it over when none does', async () => {
    const one = leaseOf('one')
    await one.hold(true)
    await expect(leaseOf('other', { leaseTtlMs: 2_000 }).hold(true)).rejects.toMatchObject({
      code: 'INCOMPATIBLE',
      message: expect.stringContaining('--lease-ttl-ms is 2000 here and 60000 at the leader (one)'),
    })
    await one.release()
    await leaseOf('other', { leaseTtlMs: 2_000 }).hold(true)
    const { config } = await withManager((manager) => manager.streams.info(BUCKET))
    expect(config.max_age).toBe(nanos(2_000))
  })
})
