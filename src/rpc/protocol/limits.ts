import { type LimitValues, limit } from '../../primitives/limit.ts'

const MEBIBYTE = 1024 * 1024
const TOO_LARGE = '-32003 response too large'
const TIMED_OUT = '-32002 request timed out'
const CALL_TIMED_OUT = '-32000 execution aborted; eth_simulateV1: -32016'
const TRACE_TIMED_OUT = '-32000 execution timeout'
const FILTERS_FULL = '-32006; nothing is installed'
const FILTER_REMOVED = '-32000 filter not found, at the next poll'

/** Limits of values whose decoding takes long. */
const VALUE_LIMITS = {
  maxOverrideAccounts: limit('n', 2_000, 'accounts in the state overrides of a request', '-32602', [0]),
  maxOverrideSlots: limit('n', 10_000, 'slots in the state overrides of a request', '-32602', [0]),
  maxLogCriteria: limit('n', 1_000, 'addresses, or topics per position, of a log filter', '-32000'),
}

/** Limits of filters: go-ethereum's lifetime; the others bound memory to about 60 MiB. */
const FILTER_LIMITS = {
  maxFilters: limit('n', 10_000, 'filters (eth_newFilter and similar) in total', FILTERS_FULL, [0]),
  maxFiltersPerClient: limit('n', 1_000, 'filters of one address', FILTERS_FULL, [0]),
  maxFilterCriteria: limit('n', 200_000, 'addresses and topics in all filters', FILTERS_FULL, [0]),
  maxFilterCriteriaPerClient: limit(
    'n',
    20_000,
    'addresses and topics in all filters of one address',
    FILTERS_FULL,
    [0],
  ),
  maxFilterHashes: limit('n', 65_536, 'hashes of pooled transactions kept for filters', FILTER_REMOVED),
  maxFilterRemovedBytes: limit('bytes', 16 * MEBIBYTE, 'logs of unwound blocks kept for filters', FILTER_REMOVED),
  filterLifetimeMs: limit(
    'ms',
    5 * 60 * 1000,
    'time after which a filter that is not polled is removed',
    FILTER_REMOVED,
    [1_000],
  ),
}

/** Limits of a JSON-RPC request. */
export const REQUEST_LIMITS = {
  maxBatchItems: limit('n', 1_000, 'requests in one batch', '-32600 for the whole batch'),
  maxBatchBytes: limit('bytes', 25 * MEBIBYTE, 'responses to one batch', `${TOO_LARGE}, for later items`),
  // go-ethereum's write timeout.
  batchTimeoutMs: limit('ms', 30_000, 'duration of one batch', `${TIMED_OUT}, for items that were not started`),
  maxAssembledBytes: limit(
    'bytes',
    128 * MEBIBYTE,
    'responses being assembled, of batches and single requests',
    '-32005',
  ),
  maxResponseBytes: limit('bytes', 64 * MEBIBYTE, 'size of one response', TOO_LARGE, [1_024]),
  maxMemoizedBytes: limit(
    'bytes',
    32 * MEBIBYTE,
    'cache of blocks, receipts and code encoded as JSON; 0: none',
    'nothing: responses are encoded again',
    [0],
  ),
  maxMemoizedLogBytes: limit(
    'bytes',
    16 * MEBIBYTE,
    'cache of logs encoded as JSON; 0: none',
    'nothing: logs are encoded again',
    [0],
  ),
  maxPoolResponseBytes: limit(
    'bytes',
    25 * MEBIBYTE,
    'size of a response of txpool_content and similar methods',
    TOO_LARGE,
    [1_024],
  ),
  maxNesting: limit('levels', 64, 'nesting depth of arrays and objects in a request', '-32600', [8]),
  maxItems: limit('n', 10_000, 'items of one array in a request', '-32600', [16]),
  maxMembers: limit('n', 10_000, 'members of one object in a request', '-32600', [16]),
  maxValues: limit(
    'n',
    100_000,
    'arrays, objects, and their items and members, in the text of a request or batch',
    '-32600, before parsing',
    [1_024],
  ),
  ...VALUE_LIMITS,
  callGasCap: limit(
    'gas',
    50_000_000n,
    'gas of one call, estimate or simulation',
    'the call runs with this gas: it may fail with out of gas',
    [21_000n, 2n ** 53n],
  ),
  callTimeoutMs: limit('ms', 5_000, 'duration of one call, estimate or simulation', CALL_TIMED_OUT),
  maxSimulatedBlocks: limit('n', 256, 'blocks per eth_simulateV1, including gaps', '-38026'),
  maxSimulatedBlockCalls: limit(
    'n',
    5_000,
    'calls per simulated block, transactions per eth_callBundle',
    '-38026; eth_callBundle: -32602',
  ),
  maxSimulatedCalls: limit(
    'n',
    10_000,
    'calls per eth_simulateV1, eth_callMany or debug_traceCallMany',
    '-38026; the other two: -32602',
  ),
  syncTimeoutMs: limit(
    'ms',
    6_000,
    'time that eth_sendRawTransactionSync waits, unless its request names less',
    '4, with the hash in data: the transaction remains in the pool',
  ),
  maxLogBlocks: limit('blocks', 0, 'block range of one eth_getLogs; 0: no limit', '-32602', [0]),
  maxLogs: limit(
    'n',
    10_000,
    'logs per response of eth_getLogs',
    '-32602 with the range that can be answered; a filter: the rest comes with the next poll',
  ),
  maxLogBytes: limit('bytes', 25 * MEBIBYTE, 'bytes of logs per response', 'as for --max-logs', [1_024]),
  logTimeoutMs: limit('ms', 5_000, 'duration of one eth_getLogs', '-32002'),
  // go-ethereum's default, and its write timeout.
  traceTimeoutMs: limit('ms', 5_000, 'duration of a trace whose request names no timeout', TRACE_TIMED_OUT),
  maxTraceTimeoutMs: limit('ms', 30_000, 'maximum duration of a trace', TRACE_TIMED_OUT),
  maxTraceBytes: limit('bytes', 64 * MEBIBYTE, 'bytes of traces per response', TOO_LARGE, [1_024]),
  /** Each uses up to 25 MiB. */
  maxRunningCalls: limit('n', 8, 'concurrent calls, estimates and simulations', 'calls wait'),
  maxWaitingCalls: limit('n', 1_024, 'queued calls, estimates and simulations', '-32005', [0]),
  ...FILTER_LIMITS,
}

/** Limits of JSON-RPC on one WebSocket. */
export const SOCKET_LIMITS = {
  maxSubscriptions: limit('n', 128, 'subscriptions per WebSocket', '-32006', [0]),
  maxSubscribedCriteria: limit('n', 10_000, 'addresses and topics in all subscriptions of a WebSocket', '-32006', [0]),
  maxHeldBytes: limit(
    'bytes',
    16 * MEBIBYTE,
    'notifications queued until the response with their subscription id is sent',
    'the WebSocket is closed with 1013 as too slow',
    [1_024],
  ),
  maxInclusionWaits: limit('n', 256, 'requests per WebSocket that wait for a transaction', '-32000; nothing was sent'),
}

export const RPC_LIMITS = { ...REQUEST_LIMITS, ...SOCKET_LIMITS }

export type RpcLimits = LimitValues<typeof RPC_LIMITS>
export type ValueLimits = LimitValues<typeof VALUE_LIMITS>
export type FilterLimits = LimitValues<typeof FILTER_LIMITS>
