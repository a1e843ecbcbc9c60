import { type LimitValues, limit, limitDefaults } from '../../primitives/limit.ts'

const CLOSED_AS_SLOW = 'the WebSocket is closed with 1013 as too slow'

/** Limits of connections. */
export const SERVER_LIMITS = {
  maxBodyBytes: limit(
    'bytes',
    5 * 1024 * 1024,
    'an HTTP body or WebSocket message',
    'HTTP: 413; WebSocket: close 1009',
  ),
  maxFragments: limit('n', 2_048, 'fragments of a WebSocket message', 'close 1008', [16]),
  maxConnections: limit(
    'n',
    2_000,
    'HTTP connections and WebSockets together',
    'the connection is closed without a response',
  ),
  maxSockets: limit('n', 1_000, 'JSON-RPC WebSockets', '503 to the upgrade', [0]),
  maxFeedSubscribers: limit('n', 1_000, 'subscribers of the flashblock feed', '503 to the upgrade', [0]),
  /** Of an address, or of a network of IPv6. */
  maxFeedSubscribersPerAddress: limit('n', 100, 'feed subscribers per client address', '429 to the upgrade', [0]),
  maxEventSubscribers: limit('n', 1_000, 'subscribers of the events of stocks', '503 with Retry-After', [0]),
  /** Of an address, or of a network of IPv6. */
  maxEventSubscribersPerAddress: limit('n', 100, 'subscribers of the events of stocks per client address', '429', [0]),
  maxInFlight: limit('n', 64, 'concurrent requests per WebSocket', 'further requests of the WebSocket are not read'),
  maxQueuedBytes: limit('bytes', 16 * 1024 * 1024, 'unread messages of one WebSocket', CLOSED_AS_SLOW, [1_024]),
  maxIncomingBytes: limit(
    'bytes',
    256 * 1024 * 1024,
    'requests of all connections that are incomplete or being answered',
    'further bytes are not read; a client that waits 10 s or stalls 2 s meanwhile: 503 with Retry-After, close 1013',
    [1_048_576],
  ),
  maxUnreadBytes: limit(
    'bytes',
    256 * 1024 * 1024,
    'unread responses of all connections',
    'HTTP: 503 with Retry-After; WebSocket: close 1013',
    [65_536],
  ),
  headersTimeoutMs: limit(
    'ms',
    10_000,
    'time to receive the headers of a request; at most --request-timeout-ms',
    '408, then the connection is closed',
  ),
  requestTimeoutMs: limit(
    'ms',
    30_000,
    'time to receive a whole request',
    '408, then the connection is closed; WebSocket message: close 1013',
  ),
  writeTimeoutMs: limit('ms', 30_000, 'time that a response may stay unread', 'the connection is closed'),
  pingIntervalMs: limit(
    'ms',
    30_000,
    'interval between WebSocket pings',
    'a WebSocket without a pong by the next ping is closed',
    [100],
  ),
  closeGraceMs: limit(
    'ms',
    2_000,
    'time that a shutdown waits for requests in progress',
    'the connection is closed when the node stops',
    [0, 3_000],
  ),
}

export type ServerLimits = LimitValues<typeof SERVER_LIMITS>

export const DEFAULT_LIMITS: ServerLimits = limitDefaults(SERVER_LIMITS)
