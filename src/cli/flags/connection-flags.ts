import { RPC_DEFAULTS } from '../../rpc/create-rpc.ts'
import { DEFAULT_LIMITS } from '../../server/limits.ts'
import { flag } from './flag.ts'
import { integer } from './values.ts'

function limit(value: string, description: string, fallback: number, minimum = 1) {
  return flag<number>({ value, description, parse: integer(minimum), fallback })
}

/** How much connections may use up. */
export const CONNECTION_FLAGS = {
  maxBodyBytes: limit('bytes', 'an HTTP body (413) or WebSocket message (close 1009)', DEFAULT_LIMITS.maxBodyBytes),
  maxConnections: limit('n', 'HTTP connections and WebSockets together', DEFAULT_LIMITS.maxConnections),
  maxSockets: limit('n', 'WebSockets of JSON-RPC', DEFAULT_LIMITS.maxSockets, 0),
  maxFeedSubscribers: limit('n', 'subscribers of the flashblock feed', DEFAULT_LIMITS.maxFeedSubscribers, 0),
  maxFeedSubscribersPerAddress: limit(
    'n',
    'subscribers of the feed at one client address',
    DEFAULT_LIMITS.maxFeedSubscribersPerAddress,
    0,
  ),
  maxInFlight: limit('n', 'requests of one WebSocket that are worked on at once', DEFAULT_LIMITS.maxInFlight),
  maxQueuedBytes: limit(
    'bytes',
    'unread messages of one WebSocket, before it is closed with 1013 as too slow',
    DEFAULT_LIMITS.maxQueuedBytes,
    1_024,
  ),
  maxUnreadBytes: limit('bytes', 'unread answers of all connections', DEFAULT_LIMITS.maxUnreadBytes, 65_536),
  maxSubscriptions: limit('n', 'subscriptions of one WebSocket', RPC_DEFAULTS.maxSubscriptions, 0),
  maxSubscribedCriteria: limit(
    'n',
    'addresses and topics in all of its subscriptions',
    RPC_DEFAULTS.maxSubscribedCriteria,
    0,
  ),
  maxHeldBytes: limit(
    'bytes',
    "messages that wait for the answer with their subscription's id",
    RPC_DEFAULTS.maxHeldBytes,
    1_024,
  ),
  maxWaits: limit('n', 'requests of one WebSocket that wait for their transaction', RPC_DEFAULTS.maxWaits),
  headersTimeout: limit(
    'ms',
    'how long the headers of a request may take, --request-timeout at most',
    DEFAULT_LIMITS.headersTimeout,
  ),
  requestTimeout: limit('ms', 'how long a whole request may take to come', DEFAULT_LIMITS.requestTimeout),
  writeTimeout: limit('ms', 'how long an answer may be left unread', DEFAULT_LIMITS.writeTimeout),
  pingInterval: limit('ms', 'between pings of a WebSocket', DEFAULT_LIMITS.pingInterval, 100),
  closeGrace: flag<number>({
    value: 'ms',
    description: 'how long stopping waits for requests that are worked on',
    parse: integer(0, 3_000),
    fallback: DEFAULT_LIMITS.closeGrace,
  }),
}
