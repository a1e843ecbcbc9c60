import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'

/** How people call them: without what they must not see. */
export function natsName(urls: string): string {
  return urls
    .split(',')
    .map((one) => `nats://${new URL(one).host}`)
    .join(',')
}

export interface NatsTiming {
  /** Milliseconds that connecting may take. */
  readonly connectTimeoutMs: number
  /** Milliseconds that an answer about the stream may take. */
  readonly requestTimeoutMs: number
  /** Milliseconds between pings; after two without an answer the connection is closed. */
  readonly pingIntervalMs: number
}

/**
 * @param urls `nats://[user:password@]host:port` or `tls://…`, with commas between them
 * @param lasting whether a connection that is lost is made again, for as long as it takes
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
    // A refused node keeps trying: an operator may be changing a password on both sides.
    ignoreAuthErrorAbort: lasting,
    reconnectTimeWait: 100,
    ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(servers.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  }
  return connect(options)
}
