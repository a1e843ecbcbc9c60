import type { Logger } from 'pino'
import { systemClock } from '../../../src/node/core/clock.ts'
import { FLASHBLOCKS } from '../../../src/node/development/mining-mode.ts'
import { createSchedule } from '../../../src/node/production/building/schedule.ts'
import type { NodeSettings } from '../../../src/node/roles/node-settings.ts'
import { openNode } from '../../../src/node/roles/open-node.ts'
import type { Role } from '../../../src/node/roles/role.ts'
import { DEFAULT_POOL_OPTIONS } from '../../../src/pool/options.ts'
import { RecordStream } from '../../../src/replication/record-stream.ts'
import { WebSocketSource } from '../../../src/replication/websocket/websocket-source.ts'
import { createRpc } from '../../../src/rpc/create-rpc.ts'
import { ReplicaListener } from '../../../src/server/replicas/replica-listener.ts'
import { NO_MONITOR } from '../../../src/server/transport/monitor.ts'
import { failoverRole } from './failover-role.ts'
import { smallGenesis } from './genesis.ts'
import { simulatedLogger } from './logger.ts'
import { accessTo, type NodeAccess, observe } from './node-access.ts'
import { startReader } from './reader.ts'
import { rpcOptions, rpcServer, serveReplica } from './serving.ts'
import { MAX_REPLICA_QUEUED_BYTES, REPLICA_PATH, type SimulatedSettings, simulation } from './simulation.ts'
import { verifyDisk } from './verification.ts'
import { startReaders } from './workers.ts'

/** Verifies the disk of this process. */
export const verify = verifyDisk

/** Opens and serves a reader of the node that has forked this process. */
export const read = startReader

/** Opens the node of this process and serves it. */
export async function start(): Promise<NodeAccess> {
  const { settings } = simulation()
  const genesis = smallGenesis()
  const log = simulatedLogger()
  const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const deps = { clock: systemClock, log, yieldTurn, checksRecords: settings.checksRecords }
  const role = roleOf(settings, genesis, log)
  const { replayBlocks, maxBlocksBehind } = settings
  const nodeSettings = { genesis, directory: '/data', history: 'all', replayBlocks, maxBlocksBehind } as const
  // The overloads name one role each.
  const node = await openNode(nodeSettings, role as Extract<Role, { kind: 'solo' }>, deps)
  observe(node, simulation().observer)
  const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size))
  const rpc = createRpc(rpcOptions(node), { node, clock: systemClock, log, randomBytes })
  const stream = new RecordStream(node.replication)
  stream.answerRequests((request) => rpc.answerFollower(request))
  const replicas = new ReplicaListener(LISTENER_OPTIONS, { stream, log, monitor: NO_MONITOR })
  if (settings.readers > 0) {
    // The node goes on meanwhile.
    startReaders(node, { stream, replicas, log }).catch((error: unknown) => simulation().observer.failed(error))
    return accessTo(node)
  }
  const serveClient = rpcServer(rpc, log)
  simulation().listen((path, socket) => {
    if (path === REPLICA_PATH) serveReplica(replicas, socket)
    else serveClient(socket)
  })
  return accessTo(node)
}

const LISTENER_OPTIONS = {
  token: undefined,
  maxReplicas: 10,
  maxSnapshots: 2,
  maxQueuedBytes: MAX_REPLICA_QUEUED_BYTES,
  maxBodyBytes: 2 ** 20,
  writeTimeoutMs: 5_000,
  catchUpTimeoutMs: 60_000,
  newestIntervalMs: 1_000,
}

function roleOf(settings: SimulatedSettings, genesis: NodeSettings['genesis'], log: Logger): Role {
  const { role, blockTimeMs, flashblockTimeMs, finalityDepth } = settings
  const schedule = createSchedule(blockTimeMs, flashblockTimeMs)
  const leading = {
    schedule,
    gasLimit: genesis.header.gasLimit,
    timeBudget: 0.6,
    finalityDepth,
    pool: DEFAULT_POOL_OPTIONS,
  }
  switch (role.kind) {
    case 'solo':
      return { kind: 'solo', leading, development: settings.isDevelopment ? { mining: FLASHBLOCKS } : undefined }
    case 'replica':
      return { kind: 'replica', source: sourceOf(role.source) }
    case 'failover':
      return failoverRole(leading, role, genesis, log)
  }
}

function sourceOf(name: string): WebSocketSource {
  return new WebSocketSource({
    url: `ws://${name}${REPLICA_PATH}`,
    token: undefined,
    maxRecordBytes: 2 ** 26,
    maxTextBytes: 2 ** 20,
    connectTimeoutMs: 5_000,
    silenceLimitMs: 5_000,
  })
}
