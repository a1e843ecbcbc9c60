import { pino } from 'pino'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { systemClock } from '../../src/node/core/clock.ts'
import type { RecordSource } from '../../src/node/log/record-source.ts'
import type { NodeHandle, ReplicaHandle, ReplicationAccess, ServedNode } from '../../src/node/roles/node-handle.ts'
import type { NodeSettings } from '../../src/node/roles/node-settings.ts'
import { openNode } from '../../src/node/roles/open-node.ts'
import { STREAM_PATH } from '../../src/replication/messages.ts'
import { RecordStream } from '../../src/replication/record-stream.ts'
import { WebSocketSource, type WebSocketSourceOptions } from '../../src/replication/websocket/websocket-source.ts'
import type { RpcDeps } from '../../src/rpc/context/dependencies.ts'
import type { RpcOptions } from '../../src/rpc/context/options.ts'
import { createRpc, RPC_DEFAULTS, type Rpc } from '../../src/rpc/create-rpc.ts'
import { createServer } from '../../src/server/create-server.ts'
import { ReplicaListener, type ReplicaListenerOptions } from '../../src/server/replicas/replica-listener.ts'

export const LISTENER_OPTIONS: ReplicaListenerOptions = {
  token: undefined,
  maxReplicas: 10,
  maxSnapshots: 2,
  maxQueuedBytes: 2 ** 20,
  maxBodyBytes: 2 ** 20,
  writeTimeoutMs: 5_000,
  catchUpTimeoutMs: 60_000,
  newestIntervalMs: 100,
}

export interface ServedStream {
  readonly url: string
  readonly port: number
  readonly listener: ReplicaListener
  close(): Promise<void>
}

/** The replica stream of a node (or of a replica) behind a real socket. */
export async function serveStream(
  followed: { readonly replication: ReplicationAccess } | RecordStream,
  options: Partial<ReplicaListenerOptions> & {
    readonly port?: number
    /** Called with the reason for which the node closes a connection. */
    readonly onDropped?: (reason: string) => void
  } = {},
): Promise<ServedStream> {
  const log = pino({ level: 'fatal' })
  const { port = 0, onDropped = () => {}, ...limits } = options
  const listener = new ReplicaListener(
    { ...LISTENER_OPTIONS, ...limits },
    {
      stream: 'replication' in followed ? streamOf(followed) : followed,
      log,
      monitor: { rejected: () => {}, dropped: onDropped },
    },
  )
  const rpc = { respond: async () => undefined, connect: () => ({ receive: async () => {}, close: () => {} }) }
  const rest = { handle: () => ({ status: 404, headers: {}, body: '' }) }
  const server = await createServer(
    { host: '127.0.0.1', port },
    { rpc, rest, log, endpoints: new Map([[STREAM_PATH, listener]]) },
  )
  return {
    url: `ws://127.0.0.1:${server.port}${STREAM_PATH}`,
    port: server.port,
    listener,
    close: () => server.close(),
  }
}

export function sourceOf(url: string, options: Partial<WebSocketSourceOptions> = {}): RecordSource {
  return new WebSocketSource({
    url,
    token: undefined,
    maxRecordBytes: 2 ** 26,
    maxTextBytes: 2 ** 20,
    connectTimeoutMs: 2_000,
    silenceLimitMs: 2_000,
    ...options,
  })
}

/** A replica of the usual test network on the real clock. */
export function startReplica(
  source: RecordSource | string,
  settings: Partial<NodeSettings> = {},
  log = pino({ level: 'silent' }),
): Promise<ReplicaHandle> {
  return openNode(
    {
      genesis: createNetwork().genesis,
      directory: undefined,
      history: 'all',
      replayBlocks: 64,
      replayWindowBytes: 0,
      maxBlocksBehind: 8,
      ...settings,
    },
    { kind: 'replica', source: typeof source === 'string' ? sourceOf(source) : source },
    { clock: systemClock, log },
  )
}

/** Resolves when a replica shows the same head as the node. */
export async function caughtUp(replica: NodeHandle, node: Pick<NodeHandle, 'view'>): Promise<void> {
  const { sequence } = node.view().head
  await shows(replica, sequence)
}

/** Resolves when a replica's head has reached a record. */
export function shows(replica: NodeHandle, sequence: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (replica.view().head.sequence < sequence) return
      replica.events.off('flashblock', look)
      resolve()
    }
    replica.events.on('flashblock', look)
    look()
  })
}

/** Resolves when a replica has as many pool transactions as the node. */
export function poolsAlike(replica: NodeHandle, node: Pick<NodeHandle, 'view'>): Promise<void> {
  const { size } = node.view().pool
  return new Promise((resolve) => {
    const look = () => {
      if (replica.view().pool.size < size) return
      replica.events.off('pooled', look)
      resolve()
    }
    replica.events.on('pooled', look)
    look()
  })
}

/** Sends requests to a node. @returns the encoded responses */
export function asking(
  node: ServedNode,
  choices: Partial<RpcOptions> = {},
  deps: Partial<RpcDeps> = {},
): (method: string, ...params: unknown[]) => Promise<string> {
  const rpc = rpcOf(node, choices, deps)
  return async (method, ...params) => (await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))!
}

/** JSON-RPC of a node. */
export function rpcOf(node: ServedNode, choices: Partial<RpcOptions> = {}, deps: Partial<RpcDeps> = {}): Rpc {
  const options = {
    ...RPC_DEFAULTS,
    clientVersion: 'Tickertape/test',
    version: 'test',
    networkId: node.config.chainId,
    ...choices,
  }
  const parts = {
    node,
    clock: systemClock,
    log: { error: () => {} },
    randomBytes: (size: number) => new Uint8Array(size),
    ...deps,
  }
  return createRpc(options, parts)
}

/** The record stream of a node, without a transport. */
export function streamOf({ replication }: { readonly replication: ReplicationAccess }): RecordStream {
  return new RecordStream(replication)
}
