import { homedir } from 'node:os'
import { join } from 'node:path'
import { FlagValueError, flag } from './flag.ts'
import { natsServers } from './nats-flags.ts'
import { datadir, NETWORK_FLAGS } from './network-flags.ts'
import { integer } from './values.ts'

/** Maximum milliseconds of `setTimeout`. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The record stream for replicas. */
export const STREAM_FLAGS = {
  replicaToken: flag<string | undefined>({
    value: 'secret',
    description: 'token that replicas must present; without it they are served on loopback only',
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_REPLICA_TOKEN',
    isSecret: true,
  }),
  maxReplicas: flag<number>({
    value: 'n',
    description: 'concurrent replicas; 0: none',
    reached: 'BUSY in the stream, then close 1008; at twice the limit 503 to the upgrade',
    parse: integer(0, 1_000),
    fallback: 16,
  }),
  replayWindowBytes: flag<number>({
    value: 'bytes',
    description: 'bytes of the newest records that are kept, and at least those of 64 blocks',
    reached: 'a replica that was disconnected for longer restores a snapshot',
    parse: integer(0),
    fallback: 16 * 1024 * 1024,
  }),
  catchUpTimeoutMs: flag<number>({
    value: 'ms',
    description: 'time that database pages and records are kept for a replica that reads a snapshot or catches up',
    reached: 'close 1013',
    parse: integer(1_000, MAX_TIMER_MS),
    fallback: 60 * 60 * 1_000,
  }),
}

/** Source of a replica. */
export const REPLICA_FLAGS = {
  from: flag<string>({
    value: 'url',
    description:
      'node or replica to follow, as in ws://10.0.0.1:8545/replica, or the NATS servers that the node publishes to, as in nats://10.0.0.1:4222,10.0.0.2:4222',
    parse: sourceUrl,
    fallback: '',
    shown: 'required',
    env: 'TICKERTAPE_FROM',
  }),
  fromToken: flag<string | undefined>({
    value: 'secret',
    description: 'the --replica-token of the followed node',
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_FROM_TOKEN',
    isSecret: true,
  }),
  snapshotFrom: flag<string | undefined>({
    value: 'url',
    description:
      'with --from nats://: a node or replica to fetch a snapshot from when the stream does not reach back far enough, as in ws://10.0.0.1:8545/replica',
    parse: webSocketUrl,
    fallback: undefined,
    shown: 'none',
    env: 'TICKERTAPE_SNAPSHOT_FROM',
  }),
  maxRecordBytes: flag<number>({
    value: 'bytes',
    description: 'size of one message of the stream; a larger one is an error',
    parse: integer(1024 * 1024),
    fallback: 256 * 1024 * 1024,
  }),
  network: flag<'main' | 'test'>({
    value: 'name',
    description: 'network to follow',
    choices: ['main', 'test'],
    fallback: 'main',
  }),
}

const { host, port, ephemeral, history, scrubBytesPerSecond, dialect } = NETWORK_FLAGS

/** The network flags of a replica. */
export const REPLICA_NETWORK_FLAGS = {
  host,
  // Port and directory differ from the defaults of a node on the same machine.
  port: { ...port, fallback: 8645 },
  datadir: { ...datadir, fallback: join(homedir(), '.tickertape-replica'), shown: '~/.tickertape-replica' },
  ephemeral,
  history,
  scrubBytesPerSecond,
  dialect,
}

function sourceUrl(text: string): string {
  const servers = natsServers(text)
  if (servers !== undefined || isWebSocketUrl(text)) return servers ?? text
  throw new FlagValueError(
    'a WebSocket or NATS URL is required, as in ws://10.0.0.1:8545/replica or nats://10.0.0.1:4222.',
  )
}

function webSocketUrl(text: string): string {
  if (isWebSocketUrl(text)) return text
  throw new FlagValueError('a WebSocket URL is required, as in ws://10.0.0.1:8545/replica.')
}

function isWebSocketUrl(text: string): boolean {
  return URL.canParse(text) && ['ws:', 'wss:'].includes(new URL(text).protocol)
}
