import type { Logger } from 'pino'
import type { RecordSource } from '../node/log/record-source.ts'
import { openReplica } from '../node/roles/follower/open-replica.ts'
import type { Replica } from '../node/roles/follower/replica.ts'
import { WebSocketSource } from '../replication/websocket/websocket-source.ts'
import type { FollowingCondition } from '../server/readiness.ts'
import { natsServers } from './flags/nats-flags.ts'
import type { ReplicaOptions } from './flags/start-flags.ts'
import { REPLAY_BLOCKS } from './node-settings.ts'
import { MAX_BLOCKS_BEHIND, type NetworkParts } from './open-network.ts'
import { type NetworkServer, serveNode } from './serve-node.ts'

/** Milliseconds that connecting to a source and its first answer may take. */
const CONNECT_TIMEOUT = 5_000
/** Milliseconds without a word from it: it says every second how far it is. */
const SILENCE_LIMIT = 5_000

/**
 * A network whose blocks are made elsewhere. Settles when it can answer.
 *
 * @throws ExposureError, SourceError, and what opening the replica throws
 */
export async function serveReplica(options: ReplicaOptions, parts: NetworkParts): Promise<NetworkServer> {
  const source = await sourceOf(options, parts.log)
  return serveNode(
    options,
    { name: options.network, port: options.port },
    parts,
    ({ genesis, directory, environment }) =>
      openReplica(
        {
          genesis,
          directory,
          history: options.history,
          replayBlocks: REPLAY_BLOCKS,
          replayBytes: options.replayWindow,
          maxBlocksBehind: MAX_BLOCKS_BEHIND,
        },
        { ...environment, source },
      ),
    { following: (replica: Replica) => followingCondition(replica.following, source.name) },
  )
}

async function sourceOf(options: ReplicaOptions, log: Logger): Promise<RecordSource> {
  const { from, snapshotFrom, fromToken: token, maxRecordBytes: maxMessageBytes } = options
  const webSocket = (url: string) => webSocketSourceOf(url, { token, maxMessageBytes })
  if (natsServers(from) === undefined) return webSocket(from)
  const { natsSourceOf } = await import('./nats-services.ts')
  return natsSourceOf(options, snapshotFrom === undefined ? undefined : webSocket(snapshotFrom), log)
}

export function webSocketSourceOf(
  url: string,
  options: { readonly token: string | undefined; readonly maxMessageBytes: number },
): WebSocketSource {
  return new WebSocketSource({ url, ...options, connectTimeout: CONNECT_TIMEOUT, silenceLimit: SILENCE_LIMIT })
}

export function followingCondition(following: Replica['following'], source: string): FollowingCondition {
  const { isConnected, newestSequence, sequence, silence, connections, snapshots, duplicates, faults } = following
  const lagRecords = Math.max(0, newestSequence - sequence)
  return { source, isConnected, lagRecords, silence, connections, snapshots, duplicates, faults }
}
