import type { Logger } from 'pino'
import { systemClock } from '../node/clock.ts'
import type { RecordSource } from '../node/replica/record-source.ts'
import { NatsLog } from '../server/nats/nats-log.ts'
import { NatsSource } from '../server/nats/nats-source.ts'
import type { ReplicaOptions, StartOptions } from './flags/start-flags.ts'

/** Milliseconds. A server that does not answer two pings is given up. */
const TIMING = { connectTimeout: 5_000, requestTimeout: 2_000, pingInterval: 500 }
/** Of records that are stored together: a start reads them, whatever they are. */
const MAX_GROUP_BYTES = 256 * 2 ** 20
/** Milliseconds without an answer after which a node looks at the end of the stream, and between looks. */
const ACK_TIMEOUT = 500
const RETRY_DELAY = 50
/** Milliseconds that the answer to a transaction may take. */
const SUBMIT_TIMEOUT = 30_000
/** Milliseconds between looks at the end of the stream. */
const NEWEST_INTERVAL = 500

/** What a node publishes to. */
export function natsLogOf(options: StartOptions & { readonly nats: string }, log: Logger): NatsLog {
  const { nats: urls, natsMaxBytes: maxBytes, natsMaxAge, natsReplicas: replicas } = options
  const limits = { maxBytes, maxAge: natsMaxAge * 1_000, replicas }
  const timing = { ...TIMING, ackTimeout: ACK_TIMEOUT, retryDelay: RETRY_DELAY }
  return new NatsLog({ urls, limits, maxGroupBytes: MAX_GROUP_BYTES, ...timing }, { clock: systemClock, log })
}

/** @param snapshots where the stream does not reach back */
export function natsSourceOf(
  { from: urls, maxRecordBytes: maxGroupBytes }: ReplicaOptions,
  snapshots: RecordSource | undefined,
  log: Logger,
): NatsSource {
  const timing = { ...TIMING, submitTimeout: SUBMIT_TIMEOUT, newestInterval: NEWEST_INTERVAL }
  return new NatsSource({ urls, maxGroupBytes, ...timing }, { log, snapshots })
}
