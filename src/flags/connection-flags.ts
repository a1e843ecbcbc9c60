import { RPC_DEFAULTS } from '../rpc/create-rpc.ts'
import { DEFAULT_LIMITS } from '../server/transport/limits.ts'
import { flag } from './flag.ts'
import { integer } from './values.ts'

function limit(value: string, description: string, fallback: number, minimum = 1) {
  return flag<number>({ value, description, parse: integer(minimum), fallback })
}

/** Limits of connections. */
export const CONNECTION_FLAGS = {
  maxBodyBytes: limit('bytes', 'an HTTP body (413) or WebSocket message (close 1009)', DEFAULT_LIMITS.maxBodyBytes),
  maxFragments: limit('n', 'fragments of a WebSocket message (close 1008)', DEFAULT_LIMITS.maxFragments, 16),
  maxConnections: limit('n', 'HTTP connections and WebSockets together', DEFAULT_LIMITS.maxConnections),
  maxSockets: limit('n', 'JSON-RPC WebSockets', DEFAULT_LIMITS.maxSockets, 0),
  maxFeedSubscribers: limit('n', 'subscribers of the flashblock feed', DEFAULT_LIMITS.maxFeedSubscribers, 0),
  maxFeedSubscribersPerAddress: limit(
    'n',
    'feed subscribers per client address',
    DEFAULT_LIMITS.maxFeedSubscribersPerAddress,
    0,
  ),
  maxInFlight: limit('n', 'concurrent requests per WebSocket', DEFAULT_LIMITS.maxInFlight),
  maxQueuedBytes: limit(
    'bytes',
    'unread messages of one WebSocket; beyond, it is closed with 1013 as too slow',
    DEFAULT_LIMITS.maxQueuedBytes,
    1_024,
  ),
  maxIncomingBytes: limit(
    'bytes',
    'requests of all connections that are incomplete or being answered; beyond, clients wait and may be refused with 503',
    DEFAULT_LIMITS.maxIncomingBytes,
    1_048_576,
  ),
  maxUnreadBytes: limit('bytes', 'unread responses of all connections', DEFAULT_LIMITS.maxUnreadBytes, 65_536),
  maxSubscriptions: limit('n', 'subscriptions per WebSocket', RPC_DEFAULTS.maxSubscriptions, 0),
  maxSubscribedCriteria: limit(
    'n',
    'addresses and topics in all subscriptions of a WebSocket',
    RPC_DEFAULTS.maxSubscribedCriteria,
    0,
  ),
  maxHeldBytes: limit(
    'bytes',
    'notifications queued until the response with their subscription id is sent',
    RPC_DEFAULTS.maxHeldBytes,
    1_024,
  ),
  maxWaits: limit('n', 'requests per WebSocket that wait for a transaction', RPC_DEFAULTS.maxInclusionWaits),
  headersTimeout: limit(
    'ms',
    'time to receive the headers of a request; at most --request-timeout',
    DEFAULT_LIMITS.headersTimeoutMs,
  ),
  requestTimeout: limit('ms', 'time to receive a whole request', DEFAULT_LIMITS.requestTimeoutMs),
  writeTimeout: limit('ms', 'time that a response may stay unread', DEFAULT_LIMITS.writeTimeoutMs),
  pingInterval: limit('ms', 'interval between WebSocket pings', DEFAULT_LIMITS.pingIntervalMs, 100),
  closeGrace: flag<number>({
    value: 'ms',
    description: 'time that a shutdown waits for requests in progress',
    parse: integer(0, 3_000),
    fallback: DEFAULT_LIMITS.closeGraceMs,
  }),
}
