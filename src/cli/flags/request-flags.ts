import { RPC_DEFAULTS } from '../../rpc/create-rpc.ts'
import { flag } from './flag.ts'
import { bigInteger, integer } from './values.ts'

/** A whole number of at least `minimum`. */
function limit(value: string, description: string, fallback: number, minimum = 1) {
  return flag<number>({ value, description, parse: integer(minimum), fallback })
}

/** How much one JSON-RPC request may ask for. */
export const REQUEST_FLAGS = {
  batchMaxItems: limit('n', 'requests in one batch', RPC_DEFAULTS.maxBatchItems),
  batchMaxBytes: limit(
    'bytes',
    'answers to one batch; the items after it are refused with -32003',
    RPC_DEFAULTS.maxBatchBytes,
  ),
  batchTimeout: limit('ms', 'one batch; items not begun by then are refused with -32002', RPC_DEFAULTS.batchTimeout),
  maxAssembledBytes: limit(
    'bytes',
    'answers that are being put together, of batches and of single requests; what is beyond is refused with -32005',
    RPC_DEFAULTS.maxAssembledBytes,
  ),
  maxAnswerBytes: limit('bytes', 'one answer; a larger one becomes error -32003', RPC_DEFAULTS.maxAnswerBytes, 1_024),
  maxReadyBytes: limit(
    'bytes',
    'blocks, receipts and code that stay written as JSON; 0: none',
    RPC_DEFAULTS.maxReadyBytes,
    0,
  ),
  maxReadyLogBytes: limit('bytes', 'logs that stay written as JSON; 0: none', RPC_DEFAULTS.maxReadyLogBytes, 0),
  maxPoolAnswerBytes: limit(
    'bytes',
    'transactions in one answer of txpool_content and the like; a larger one becomes error -32003',
    RPC_DEFAULTS.maxPoolBytes,
    1_024,
  ),
  maxNesting: limit('levels', 'arrays and objects inside each other in a request', RPC_DEFAULTS.maxNesting, 8),
  callGasCap: flag<bigint>({
    value: 'gas',
    description: 'gas of one call, estimate or simulation',
    parse: bigInteger(21_000n, 2n ** 53n),
    fallback: RPC_DEFAULTS.callGasCap,
  }),
  callTimeout: limit('ms', 'how long one call, estimate or simulation may take', RPC_DEFAULTS.callTimeout),
  callWorkers: flag<number>({
    value: 'n',
    description:
      'threads for long calls and traces, and for simulations of which several come in at once, where there are processors for them; 0: all that runs in slices, and senders and state roots are found on the same thread too',
    parse: integer(0, 64),
    fallback: 1,
  }),
  rpcWorkers: flag<number>({
    value: 'n',
    description:
      'processes, for each network, that share its port and answer everything on it, so that the process which makes blocks serves nobody; limits of connections, filters, rates and the like are those of one of them; 0: that process answers by itself',
    parse: integer(0, 64),
    fallback: 0,
  }),
  simulateMaxBlocks: limit('n', 'blocks of one eth_simulateV1, gaps included', RPC_DEFAULTS.maxSimulatedBlocks),
  simulateMaxBlockCalls: limit('n', 'calls in one of its blocks', RPC_DEFAULTS.maxSimulatedBlockCalls),
  simulateMaxCalls: limit('n', 'calls in all of its blocks', RPC_DEFAULTS.maxSimulatedCalls),
  syncTimeout: limit('ms', 'how long eth_sendRawTransactionSync may wait', RPC_DEFAULTS.syncTimeout.max),
  logsMaxRange: limit('blocks', 'blocks that one eth_getLogs may span; 0: no limit', RPC_DEFAULTS.maxLogRange, 0),
  logsMaxResults: limit('n', 'logs in one answer of eth_getLogs', RPC_DEFAULTS.maxLogs),
  logsMaxBytes: limit('bytes', 'bytes of the logs in one answer', RPC_DEFAULTS.maxLogBytes, 1_024),
  logsTimeout: limit('ms', 'how long one eth_getLogs may search', RPC_DEFAULTS.logTimeout),
  traceTimeout: limit('ms', 'how long one trace may take that names no time', RPC_DEFAULTS.traceTimeout.default),
  traceMaxTimeout: limit('ms', 'how long one trace may take', RPC_DEFAULTS.traceTimeout.max),
  traceMaxBytes: limit('bytes', 'bytes of the traces in one answer', RPC_DEFAULTS.maxTraceBytes, 1_024),
  maxRunningCalls: limit('n', 'calls, estimates and simulations that run at once', RPC_DEFAULTS.maxRunningCalls, 1),
  maxWaitingCalls: limit('n', 'those that wait for others to end', RPC_DEFAULTS.maxWaitingCalls, 0),
  maxFilters: limit('n', 'filters (eth_newFilter and the like) at once', RPC_DEFAULTS.filters.maxFilters, 0),
  maxFiltersPerClient: limit('n', 'those of one address', RPC_DEFAULTS.filters.maxPerClient, 0),
  maxFilterCriteria: limit('n', 'addresses and topics in all of them', RPC_DEFAULTS.filters.maxCriteria, 0),
  maxFilterCriteriaPerClient: limit('n', 'those of one address', RPC_DEFAULTS.filters.maxCriteriaPerClient, 0),
  maxFilterHashes: limit(
    'n',
    'hashes of pooled transactions that are kept for filters; one that missed some is gone',
    RPC_DEFAULTS.filters.maxPooled,
  ),
  maxFilterRemovedBytes: limit(
    'bytes',
    'logs of blocks taken back that are kept for filters; one that missed some is gone',
    RPC_DEFAULTS.filters.maxUnwoundBytes,
  ),
  filterLifetime: limit('ms', 'a filter that nobody asked for so long is gone', RPC_DEFAULTS.filters.lifetime, 1_000),
}
