import { pino } from 'pino'
import { systemClock } from '../../src/node/core/clock.ts'
import type { RecordSource } from '../../src/node/log/record-source.ts'
import { NatsLog, type NatsLogDeps, type NatsLogOptions } from '../../src/replication/nats/nats-log.ts'
import { NatsSource } from '../../src/replication/nats/nats-source.ts'

export interface NatsServer {
  readonly url: string
  /** Kills the server. */
  kill(): Promise<void>
  /** Restarts it on the same port with the same store. */
  restart(flags?: readonly string[]): Promise<void>
  /** Restarts it from an earlier copy of its store: later acknowledged messages are lost. */
  keepStore(): Promise<void>
  bringBackStore(): Promise<void>
  /** Kills it and deletes its store. */
  close(): Promise<void>
}

export const { hasNatsServer, isNatsSupported, startNatsServer } = (await import(
  new URL('./nats-server.mjs', import.meta.url).href
)) as {
  readonly hasNatsServer: boolean
  /** Whether the server is one that nodes accept without `--allow-old-nats`. */
  readonly isNatsSupported: boolean
  startNatsServer(): Promise<NatsServer>
}

export interface NatsCluster {
  readonly url: string
  kill(index: number): Promise<void>
  start(index: number): void
  close(): Promise<void>
}

export const { startNatsCluster } = (await import(new URL('../failover/nats-cluster.mjs', import.meta.url).href)) as {
  /** Resolves when the servers accept messages. */
  startNatsCluster(size: number, options?: { readonly stores?: string; readonly syncs?: boolean }): Promise<NatsCluster>
}

const TIMING = { connectTimeoutMs: 2_000, requestTimeoutMs: 2_000, pingIntervalMs: 500, maxRecordBytes: 2 ** 26 }

/** The replicated log of a sequencing node. */
export function natsLog(
  urls: string,
  options: Partial<NatsLogOptions> = {},
  log: NatsLogDeps['log'] = pino({ level: 'silent' }),
): NatsLog {
  const limits = { maxBytes: 2 ** 26, maxAgeMs: 0, replicas: 1 }
  return new NatsLog(
    {
      urls,
      limits,
      ...TIMING,
      ackTimeoutMs: 300,
      resendTimeoutMs: 50,
      lookTimeoutMs: 300,
      retryDelayMs: 20,
      tellsLoss: false,
      allowsOldServers: true,
      monitors: [],
      neighbours: undefined,
      ...options,
    },
    { clock: systemClock, log },
  )
}

/** The record source of a replica. */
export function natsSource(urls: string, snapshots?: RecordSource): NatsSource {
  const log = pino({ level: 'silent' })
  return new NatsSource({ urls, ...TIMING, leaderTimeoutMs: 5_000, newestIntervalMs: 100 }, { log, snapshots })
}
