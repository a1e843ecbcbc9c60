import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { buildGenesis } from '../../src/node/core/genesis-chain.ts'
import type { ReplicatedLogDescription } from '../../src/node/log/replicated-log.ts'
import type { FailoverHandle } from '../../src/node/roles/node-handle.ts'
import type { NatsLogDeps } from '../../src/replication/nats/nats-log.ts'
import { type CandidateOptions, type HandedLease, startCandidate } from './candidates.ts'
import { type NatsServer, startNatsServer } from './nats.ts'

const { config, header } = createNetwork().genesis

/** Options of the chain that candidates build. */
export const CANDIDATE_CHAIN: ReplicatedLogDescription = {
  chainId: config.chainId,
  genesisHash: buildGenesis(createNetwork().genesis).block.hash,
  settings: { blockTime: 1000, slots: 10, gasLimit: header.gasLimit, finalityDepth: 64 },
}

export interface NatsFixture {
  /** Available from the first test on. */
  readonly server: NatsServer
  /** Called after the test, newest first. */
  readonly closing: (() => Promise<unknown>)[]
  start(name: string, lease: HandedLease, options?: Partial<CandidateOptions>): Promise<FailoverHandle>
  newDirectory(): Promise<string>
}

/** A log that calls `act` with warnings of failing requests, not with those of the version and settings of servers. */
export function onTrouble(act: () => void, onError: (details: unknown) => void = () => {}): NatsLogDeps['log'] {
  const isRequest = (details: unknown) => typeof details === 'object' && details !== null && 'target' in details
  return { warn: (details: unknown) => isRequest(details) && act(), error: onError }
}

/** A NATS server for the tests of a `describe`, without streams at the start of each. Call it inside the `describe`. */
export function natsFixture(): NatsFixture {
  let server: NatsServer
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
  return {
    get server() {
      return server
    },
    closing,
    async start(name, lease, options) {
      const candidate = await startCandidate({ url: server.url, name, lease: lease.of(name), ...options })
      closing.push(() => candidate.stop())
      return candidate
    },
    async newDirectory() {
      const directory = await mkdtemp(join(tmpdir(), 'tickertape-failover-'))
      closing.push(() => rm(directory, { recursive: true, force: true }))
      return directory
    },
  }
}
