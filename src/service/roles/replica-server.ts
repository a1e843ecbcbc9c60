import type { Logger } from 'pino'
import { natsServers } from '../../flags/nats-flags.ts'
import type { ReplicaOptions } from '../../flags/start-flags.ts'
import type { RecordSource } from '../../node/log/record-source.ts'
import { openNode } from '../../node/roles/open-node.ts'
import { WebSocketSource } from '../../replication/websocket/websocket-source.ts'
import { nodeSettingsOf } from '../node-settings.ts'
import type { NetworkParts } from '../open-network.ts'
import { type NetworkServer, serveNode } from './serve-node.ts'

/** Timeout for the connection to a source and its first message, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000
/** Milliseconds without a message after which a source is lost; it reports its newest record every second. */
const SILENCE_LIMIT_MS = 5_000

/**
 * Serves a network as a replica. Resolves when the replica has its first head.
 *
 * @throws ExposureError, SourceError; errors of opening the replica
 */
export async function serveReplica(options: ReplicaOptions, parts: NetworkParts): Promise<NetworkServer> {
  const source = await sourceOf(options, parts.log)
  return serveNode(
    options,
    { name: options.network, port: options.port },
    parts,
    (opening) => openNode(nodeSettingsOf(options, opening), { kind: 'replica', source }, opening.environment),
    { source: source.name },
  )
}

async function sourceOf(options: ReplicaOptions, log: Logger): Promise<RecordSource> {
  const { from, snapshotFrom, fromToken: token, maxRecordBytes, maxResponseBytes } = options
  const webSocket = (url: string) => webSocketSourceOf(url, { token, maxRecordBytes, maxResponseBytes })
  if (natsServers(from) === undefined) return webSocket(from)
  const { natsSourceOf } = await import('./nats-services.ts')
  return natsSourceOf(options, snapshotFrom === undefined ? undefined : webSocket(snapshotFrom), log)
}

/** Everything in a text message but the result of a request. */
const MAX_OTHER_TEXT_BYTES = 2 ** 16

export function webSocketSourceOf(
  url: string,
  {
    maxResponseBytes,
    ...options
  }: { readonly token: string | undefined; readonly maxRecordBytes: number; readonly maxResponseBytes: number },
): WebSocketSource {
  return new WebSocketSource({
    url,
    // A result is JSON inside a JSON text: each of its quotes is escaped.
    maxTextBytes: 2 * maxResponseBytes + MAX_OTHER_TEXT_BYTES,
    ...options,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    silenceLimitMs: SILENCE_LIMIT_MS,
  })
}
