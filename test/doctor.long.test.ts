import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createNetwork } from '../src/chain/genesis/networks.ts'
import { buildGenesis } from '../src/node/core/genesis-chain.ts'
import { STREAM_VERSION } from '../src/replication/messages.ts'
import { NatsLease } from '../src/replication/nats/nats-lease.ts'
import { NatsPeers } from '../src/replication/nats/nats-peers.ts'
import { diagnoseOn, textOf } from './support/doctor.ts'
import { hasNatsServer, isNatsSupported, type NatsServer, startNatsServer } from './support/nats.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))

const doctor = (flags: readonly string[]) => diagnoseOn(['--ephemeral', ...flags])

test('the command ends with 0 without faults, and with 1 and a line per fault', () => {
  const run = (...flags: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, 'doctor', '--ephemeral', '--port', '0', ...flags], { encoding: 'utf8' })

  expect(run().status).toBe(0)
  const { status, stdout } = run('--host', '192.0.2.1', '--json')
  expect(status).toBe(1)
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ check: 'ports', level: 'fault' }))
})

describe.skipIf(!hasNatsServer)('NATS servers', () => {
  let server: NatsServer
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(() => server.close())
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
    const connection = await connect({ servers: server.url })
    const manager = await jetstreamManager(connection)
    for await (const name of manager.streams.names()) await manager.streams.delete(name)
    await connection.close()
  })

  const { config, header } = createNetwork().genesis
  const chain = { chainId: config.chainId, genesisHash: buildGenesis(createNetwork().genesis).block.hash }
  const timing = { connectTimeoutMs: 2_000, requestTimeoutMs: 2_000, pingIntervalMs: 500 }
  const failover = () => ['--nats', server.url, '--failover', '--node-name', 'two']

  async function addStream(genesisHash: string, settings: object = {}): Promise<void> {
    const connection = await connect({ servers: server.url })
    const manager = await jetstreamManager(connection)
    const own = { blockTime: 2000, slots: 10, gasLimit: header.gasLimit.toString(), finalityDepth: 64, ...settings }
    const description = JSON.stringify({
      version: STREAM_VERSION,
      chainId: String(config.chainId),
      genesisHash,
      settings: own,
    })
    const name = `tickertape-${genesisHash.slice(2)}`
    await manager.streams.add({ name, subjects: [`tickertape.${genesisHash.slice(2)}.records`], description })
    await connection.close()
  }

  test('finds servers that may lose acknowledged records, and a cluster that is none', async () => {
    const text = textOf(await doctor(['--nats', server.url, '--nats-replicas', '3']))

    expect(text).toMatch(/NATS: it is not verified that NATS syncs records/)
    expect(text).toMatch(/NATS: --nats-replicas 3 needs a cluster/)
    if (!isNatsSupported) expect(text).toMatch(/NATS: NATS 2\.\d+\.\d+ is older than 2\.12/)
  })

  test('finds servers that have another chain only', async () => {
    await addStream(`0x${'ab'.repeat(32)}`)

    expect(textOf(await doctor(failover()))).toMatch(/fault chain: .*records of another chain \(tickertape-abab/)
  })

  test('finds other nodes with other settings', async () => {
    await addStream(chain.genesisHash, { blockTime: 4000 })

    expect(textOf(await doctor(failover()))).toMatch(/warning chain: .*other settings \(blockTime/)
  })

  test('finds a name that runs already, another lifetime of the lease, and a wrong clock', async () => {
    await addStream(chain.genesisHash)
    const wall = () => Date.now() + 60_000
    const shared = { urls: server.url, chain, id: 'other', name: 'two', ...timing }
    const lease = new NatsLease({
      ...shared,
      replicas: 1,
      leaseTtlMs: 7_000,
      holdTimeoutMs: 1_000,
      checkIntervalMs: 60_000,
      maxClockOffsetMs: 3_000,
      wall: Date.now,
    })
    const peers = new NatsPeers({ ...shared, version: '1', wall }, { log: { warn: () => {} } })
    closing.push(
      () => lease.close(),
      () => peers.close(),
    )
    await lease.hold(true)
    const state = { role: 'leader', sequence: 0, block: 0, epoch: undefined, couldLead: false } as const
    const unused = () => Promise.reject(new Error('not asked'))
    await peers.answer({ state: () => state, applied: unused, lead: unused, handOver: unused })

    const text = textOf(await doctor(failover()))

    expect(text).toMatch(/fault node name: a node named two runs already/)
    expect(text).toMatch(/fault lease: --lease-ttl-ms is 1000 here and 7000 at the leader \(two\)/)
    expect(text).toMatch(/warning clock: the clock of two differs by (59|60)\d\d\d ms/)
  })
})
