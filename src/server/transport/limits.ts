/** Limits of clients, all configurable. */
export interface ServerLimits {
  /** Bytes of an HTTP body and of a WebSocket message. */
  readonly maxBodyBytes: number
  /** Fragments of a WebSocket message. */
  readonly maxFragments: number
  /** Bytes of requests of all connections that are incomplete or being answered. */
  readonly maxIncomingBytes: number
  /** Unsent bytes of one WebSocket above which it is closed as too slow. */
  readonly maxQueuedBytes: number
  /** Unsent bytes of responses of all connections. */
  readonly maxUnreadBytes: number
  /** Requests in flight per WebSocket; beyond it the socket is not read. */
  readonly maxInFlight: number
  /** WebSockets of JSON-RPC. */
  readonly maxSockets: number
  /** Subscribers of the flashblock feed. */
  readonly maxFeedSubscribers: number
  /** Subscribers per address, or per network of IPv6. */
  readonly maxFeedSubscribersPerAddress: number
  /** HTTP connections and WebSockets; further ones are closed. */
  readonly maxConnections: number
  /** Milliseconds that a client may take to send the headers of a request. */
  readonly headersTimeoutMs: number
  /** Milliseconds that it may take to send a whole request. */
  readonly requestTimeoutMs: number
  /** Milliseconds that it may leave an HTTP response unread. */
  readonly writeTimeoutMs: number
  /** Milliseconds between pings; a socket without an answer by the next one is closed. */
  readonly pingIntervalMs: number
  /** Milliseconds that closing waits for requests in flight. */
  readonly closeGraceMs: number
}

export const DEFAULT_LIMITS: ServerLimits = {
  maxBodyBytes: 5 * 1024 * 1024,
  maxFragments: 2_048,
  maxIncomingBytes: 256 * 1024 * 1024,
  maxQueuedBytes: 16 * 1024 * 1024,
  maxUnreadBytes: 256 * 1024 * 1024,
  maxInFlight: 64,
  maxSockets: 1_000,
  maxFeedSubscribers: 1_000,
  maxFeedSubscribersPerAddress: 100,
  maxConnections: 2_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  writeTimeoutMs: 30_000,
  pingIntervalMs: 30_000,
  closeGraceMs: 2_000,
}
