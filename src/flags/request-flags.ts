import { RPC_DEFAULTS } from '../rpc/create-rpc.ts'
import { flag } from './flag.ts'
import { bigInteger, integer } from './values.ts'

/** An integer flag of at least `minimum`. */
function limit(value: string, description: string, fallback: number, minimum = 1) {
  return flag<number>({ value, description, parse: integer(minimum), fallback })
}

/** Limits of a JSON-RPC request. */
export const REQUEST_FLAGS = {
  batchMaxItems: limit('n', 'requests in one batch', RPC_DEFAULTS.maxBatchItems),
  batchMaxBytes: limit('bytes', 'responses to one batch; later items fail with -32003', RPC_DEFAULTS.maxBatchBytes),
  batchTimeout: limit(
    'ms',
    'duration of one batch; items not started by then fail with -32002',
    RPC_DEFAULTS.batchTimeoutMs,
  ),
  maxAssembledBytes: limit(
    'bytes',
    'responses being assembled, of batches and single requests; requests beyond fail with -32005',
    RPC_DEFAULTS.maxAssembledBytes,
  ),
  maxAnswerBytes: limit(
    'bytes',
    'size of one response; a larger one becomes error -32003',
    RPC_DEFAULTS.maxResponseBytes,
    1_024,
  ),
  maxReadyBytes: limit(
    'bytes',
    'cache of blocks, receipts and code encoded as JSON; 0: none',
    RPC_DEFAULTS.maxMemoizedBytes,
    0,
  ),
  maxReadyLogBytes: limit('bytes', 'cache of logs encoded as JSON; 0: none', RPC_DEFAULTS.maxMemoizedLogBytes, 0),
  maxPoolAnswerBytes: limit(
    'bytes',
    'size of a response of txpool_content and similar methods; a larger one becomes error -32003',
    RPC_DEFAULTS.maxPoolResponseBytes,
    1_024,
  ),
  maxNesting: limit('levels', 'nesting depth of arrays and objects in a request', RPC_DEFAULTS.maxNesting, 8),
  maxItems: limit('n', 'items of one array in a request', RPC_DEFAULTS.maxItems, 16),
  maxMembers: limit('n', 'members of one object in a request', RPC_DEFAULTS.maxMembers, 16),
  maxValues: limit(
    'n',
    'arrays, objects, and their items and members, in a request or batch; more fail with -32600 before parsing',
    RPC_DEFAULTS.maxValues,
    1_024,
  ),
  maxOverrideAccounts: limit('n', 'accounts in the state overrides of a request', RPC_DEFAULTS.maxOverrideAccounts, 0),
  maxOverrideSlots: limit('n', 'slots in the state overrides of a request', RPC_DEFAULTS.maxOverrideSlots, 0),
  callGasCap: flag<bigint>({
    value: 'gas',
    description: 'gas of one call, estimate or simulation',
    parse: bigInteger(21_000n, 2n ** 53n),
    fallback: RPC_DEFAULTS.callGasCap,
  }),
  callTimeout: limit('ms', 'duration of one call, estimate or simulation', RPC_DEFAULTS.callTimeoutMs),
  callWorkers: flag<number>({
    value: 'n',
    description:
      'worker threads for long calls and traces; 0: everything, including sender recovery and state roots, runs on the main thread in time slices',
    parse: integer(0, 64),
    fallback: 1,
  }),
  rpcWorkers: flag<number>({
    value: 'n',
    description:
      'processes per network that share its port and answer its requests; limits of connections, filters and rates apply to each of them; 0: the process that builds blocks answers itself',
    parse: integer(0, 64),
    fallback: 0,
  }),
  simulateMaxBlocks: limit('n', 'blocks per eth_simulateV1, including gaps', RPC_DEFAULTS.maxSimulatedBlocks),
  simulateMaxBlockCalls: limit(
    'n',
    'calls per simulated block, transactions per eth_callBundle',
    RPC_DEFAULTS.maxSimulatedBlockCalls,
  ),
  simulateMaxCalls: limit('n', 'calls per eth_simulateV1 or eth_callMany', RPC_DEFAULTS.maxSimulatedCalls),
  syncTimeout: limit('ms', 'time that eth_sendRawTransactionSync may wait', RPC_DEFAULTS.syncTimeoutMs.max),
  logsMaxRange: limit('blocks', 'block range of one eth_getLogs; 0: no limit', RPC_DEFAULTS.maxLogBlocks, 0),
  logsMaxCriteria: limit('n', 'addresses, or topics per position, of a log filter', RPC_DEFAULTS.maxLogCriteria),
  logsMaxResults: limit('n', 'logs per response of eth_getLogs', RPC_DEFAULTS.maxLogs),
  logsMaxBytes: limit('bytes', 'bytes of logs per response', RPC_DEFAULTS.maxLogBytes, 1_024),
  logsTimeout: limit('ms', 'duration of one eth_getLogs', RPC_DEFAULTS.logTimeoutMs),
  traceTimeout: limit('ms', 'duration of a trace without a timeout of its own', RPC_DEFAULTS.traceTimeoutMs.default),
  traceMaxTimeout: limit('ms', 'maximum duration of a trace', RPC_DEFAULTS.traceTimeoutMs.max),
  traceMaxBytes: limit('bytes', 'bytes of traces per response', RPC_DEFAULTS.maxTraceBytes, 1_024),
  maxRunningCalls: limit('n', 'concurrent calls, estimates and simulations', RPC_DEFAULTS.maxRunningCalls, 1),
  maxWaitingCalls: limit('n', 'queued calls, estimates and simulations', RPC_DEFAULTS.maxWaitingCalls, 0),
  maxFilters: limit('n', 'filters (eth_newFilter and similar) in total', RPC_DEFAULTS.filters.maxFilters, 0),
  maxFiltersPerClient: limit('n', 'filters of one address', RPC_DEFAULTS.filters.maxFiltersPerClient, 0),
  maxFilterCriteria: limit('n', 'addresses and topics in all filters', RPC_DEFAULTS.filters.maxFilterCriteria, 0),
  maxFilterCriteriaPerClient: limit(
    'n',
    'addresses and topics in all filters of one address',
    RPC_DEFAULTS.filters.maxFilterCriteriaPerClient,
    0,
  ),
  maxFilterHashes: limit(
    'n',
    'hashes of pooled transactions kept for filters; a filter that missed some is removed',
    RPC_DEFAULTS.filters.maxFilterHashes,
  ),
  maxFilterRemovedBytes: limit(
    'bytes',
    'logs of unwound blocks kept for filters; a filter that missed some is removed',
    RPC_DEFAULTS.filters.maxFilterRemovedBytes,
  ),
  filterLifetime: limit(
    'ms',
    'time after which a filter that is not polled is removed',
    RPC_DEFAULTS.filters.filterLifetimeMs,
    1_000,
  ),
}
