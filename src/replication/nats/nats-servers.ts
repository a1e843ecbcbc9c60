import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import type { Clock } from '../../node/core/clock.ts'

/** Server names for display, without credentials. */
export function natsName(urls: string): string {
  return urls
    .split(',')
    .map((one) => `nats://${new URL(one).host}`)
    .join(',')
}

export interface NatsTiming {
  /** Connection timeout in milliseconds. */
  readonly connectTimeoutMs: number
  /** Timeout in milliseconds of a request about the stream. */
  readonly requestTimeoutMs: number
  /** Milliseconds between pings; after two unanswered pings the connection is closed. */
  readonly pingIntervalMs: number
}

/**
 * @param urls `nats://[user:password@]host:port` or `tls://…`, comma-separated
 * @param lasting reconnect without limit after the connection is lost
 */
export function connectNats(urls: string, timing: NatsTiming, lasting: boolean): Promise<NatsConnection> {
  const servers = urls.split(',').map((one) => new URL(one))
  const { username, password } = servers[0]!
  const options: ConnectionOptions = {
    servers: servers.map(({ host }) => host),
    name: 'tickertape',
    timeout: timing.connectTimeoutMs,
    pingInterval: timing.pingIntervalMs,
    maxPingOut: 2,
    reconnect: lasting,
    maxReconnectAttempts: -1,
    // A node refused by a server keeps trying: an operator may be changing a password on both sides.
    ignoreAuthErrorAbort: lasting,
    reconnectTimeWait: 100,
    ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(servers.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  }
  return connect(options)
}

/** Resolves after a delay. */
export function delay(milliseconds: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.at(clock.monotonic() + milliseconds, resolve))
}
