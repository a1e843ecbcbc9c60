import type { CONNECTION_FLAGS } from '../../src/flags/connection-flags.ts'
import type { EXPOSURE_FLAGS } from '../../src/flags/exposure-flags.ts'
import type { POOL_FLAGS } from '../../src/flags/pool-flags.ts'
import type { STREAM_FLAGS } from '../../src/flags/replica-flags.ts'
import type { REQUEST_FLAGS } from '../../src/flags/request-flags.ts'

/** Flags among the limits that size the process: a client never reaches them. */
type SizingFlag = 'callWorkers' | 'rpcWorkers'

/** The response to a client that reaches a limit, by flag. A limit without an entry does not compile. */
type Outcomes<Flags, Other extends keyof Flags = never> = Readonly<Record<Exclude<keyof Flags, Other>, string>>

const POOL_REFUSAL = 'eth_sendRawTransaction fails with -32000'
const TOO_LARGE = '-32003 response too large'
const TIMED_OUT = '-32002 request timed out'
const CALL_TIMED_OUT = '-32000 execution aborted; eth_simulateV1: -32016'
const TRACE_TIMED_OUT = '-32000 execution timeout'
const FILTERS_FULL = '-32006; nothing is installed'
const FILTER_REMOVED = '-32000 filter not found, at the next poll'
const RATE_LIMITED = '-32005 with data.retryAfter; HTTP: 429 with Retry-After'
const CLOSED_AS_SLOW = 'close 1013'

export const POOL_OUTCOMES: Outcomes<typeof POOL_FLAGS> = {
  poolSize: `The transactions with the lowest fee are dropped as EVICTED; one that pays less than all: ${POOL_REFUSAL}, UNDERPRICED`,
  poolBytes: `As for --pool-size`,
  poolSenderSlots: `${POOL_REFUSAL}, ACCOUNT_LIMIT`,
  poolGappedSlots: `${POOL_REFUSAL}, ACCOUNT_LIMIT`,
  poolRemembered: 'The reason of the oldest dropped transaction is unknown',
  poolLifetime: 'The transaction is dropped as EXPIRED',
  maxTransactionBytes: `${POOL_REFUSAL}, OVERSIZED_DATA`,
  blobReplacementBump: `${POOL_REFUSAL}, REPLACEMENT_UNDERPRICED`,
  replacementBump: `${POOL_REFUSAL}, REPLACEMENT_UNDERPRICED`,
  minimumTip: `${POOL_REFUSAL}, TIP_BELOW_MINIMUM`,
  feeCap: `${POOL_REFUSAL}, FEE_ABOVE_CAP`,
}

export const REQUEST_OUTCOMES: Outcomes<typeof REQUEST_FLAGS, SizingFlag> = {
  batchMaxItems: '-32600 for the whole batch',
  batchMaxBytes: `${TOO_LARGE}, for later items`,
  batchTimeout: `${TIMED_OUT}, for items that were not started`,
  maxAssembledBytes: '-32005',
  maxAnswerBytes: TOO_LARGE,
  maxReadyBytes: 'Nothing: responses are encoded again',
  maxReadyLogBytes: 'Nothing: logs are encoded again',
  maxPoolAnswerBytes: TOO_LARGE,
  maxNesting: '-32600',
  maxItems: '-32600',
  maxMembers: '-32600',
  maxValues: '-32600',
  maxOverrideAccounts: '-32602',
  maxOverrideSlots: '-32602',
  callGasCap: 'The call runs with this gas: it may fail with out of gas',
  callTimeout: CALL_TIMED_OUT,
  simulateMaxBlocks: '-38026',
  simulateMaxBlockCalls: '-38026; eth_callBundle: -32602',
  simulateMaxCalls: '-38026; eth_callMany: -32602',
  syncTimeout: '4, with the hash in data: the transaction remains in the pool',
  logsMaxRange: '-32602',
  logsMaxCriteria: '-32000',
  logsMaxResults: '-32602 with the range that can be answered; a filter: the rest comes with the next poll',
  logsMaxBytes: 'As for --logs-max-results',
  logsTimeout: '-32002',
  traceTimeout: TRACE_TIMED_OUT,
  traceMaxTimeout: TRACE_TIMED_OUT,
  traceMaxBytes: TOO_LARGE,
  maxRunningCalls: 'Calls wait',
  maxWaitingCalls: '-32005',
  maxFilters: FILTERS_FULL,
  maxFiltersPerClient: FILTERS_FULL,
  maxFilterCriteria: FILTERS_FULL,
  maxFilterCriteriaPerClient: FILTERS_FULL,
  maxFilterHashes: FILTER_REMOVED,
  maxFilterRemovedBytes: FILTER_REMOVED,
  filterLifetime: FILTER_REMOVED,
}

export const CONNECTION_OUTCOMES: Outcomes<typeof CONNECTION_FLAGS> = {
  maxBodyBytes: 'HTTP: 413; WebSocket: close 1009',
  maxFragments: 'close 1008',
  maxConnections: 'The connection is closed without a response',
  maxSockets: '503 to the upgrade',
  maxFeedSubscribers: '503 to the upgrade',
  maxFeedSubscribersPerAddress: '429 to the upgrade',
  maxInFlight: 'Further requests of the WebSocket are not read',
  maxQueuedBytes: CLOSED_AS_SLOW,
  maxIncomingBytes:
    'Further bytes are not read. A client that waits 10 s or stalls 2 s meanwhile: 503 with Retry-After, close 1013',
  maxUnreadBytes: 'HTTP: 503 with Retry-After; WebSocket: close 1013',
  maxSubscriptions: '-32006',
  maxSubscribedCriteria: '-32006',
  maxHeldBytes: CLOSED_AS_SLOW,
  maxWaits: '-32000; nothing was sent',
  headersTimeout: '408, then the connection is closed',
  requestTimeout: '408, then the connection is closed; WebSocket message: close 1013',
  writeTimeout: 'The connection is closed',
  pingInterval: 'A WebSocket without a pong by the next ping is closed',
  closeGrace: 'The connection is closed when the node stops',
}

/** Limits in other groups of flags. */
export const OTHER_OUTCOMES: Readonly<
  Partial<Record<keyof typeof EXPOSURE_FLAGS | keyof typeof STREAM_FLAGS, string>>
> = {
  rateLimit: RATE_LIMITED,
  rateBurst: RATE_LIMITED,
  maxReplicas: 'BUSY in the stream, then close 1008; at twice the limit 503 to the upgrade',
  replayWindow: 'The replica restores a snapshot',
}
