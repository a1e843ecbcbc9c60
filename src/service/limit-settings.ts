import { dialectOf } from '../flags/genesis/profile-options.ts'
import type { ServeOptions, StartOptions } from '../flags/start-flags.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from '../pool/options.ts'
import type { RpcOptions } from '../rpc/context/context.ts'
import { RPC_DEFAULTS } from '../rpc/create-rpc.ts'
import type { ServerLimits } from '../server/transport/limits.ts'

/** Flags of the pool's options. */
export function poolOptionsOf(options: StartOptions): PoolOptions {
  return {
    maxPoolTransactions: options.poolSize,
    maxPoolBytes: options.poolBytes,
    maxTransactionsPerSender: options.poolSenderSlots,
    maxQueuedPerSender: options.poolGappedSlots,
    minimumTip: options.minimumTip,
    replacementBumpPercent: options.replacementBump ?? usualBump(options),
    blobReplacementBumpPercent: options.blobReplacementBump,
    maxTransactionBytes: options.maxTransactionBytes,
    transactionLifetimeMs: options.poolLifetime,
    feeCap: options.feeCap,
    judgesSenders: true,
    order: options.order,
    maxDropReasons: options.poolRemembered,
  }
}

/** In Anvil any higher price replaces. */
function usualBump({ compat }: Pick<StartOptions, 'compat'>): bigint {
  return compat === 'anvil' ? 0n : DEFAULT_POOL_OPTIONS.replacementBumpPercent
}

type RpcLimits = Omit<
  RpcOptions,
  'clientVersion' | 'version' | 'networkId' | 'defaultSender' | 'httpNamespaces' | 'wsNamespaces' | 'development'
>

/** Flags of the JSON-RPC options. */
export function rpcLimitsOf(options: ServeOptions): RpcLimits {
  return {
    ...RPC_DEFAULTS,
    dialect: dialectOf(options),
    compat: options.compat,
    callGasCap: options.callGasCap,
    callTimeoutMs: options.callTimeout,
    maxRunningCalls: options.maxRunningCalls,
    maxWaitingCalls: options.maxWaitingCalls,
    maxSimulatedBlocks: options.simulateMaxBlocks,
    maxSimulatedBlockCalls: options.simulateMaxBlockCalls,
    maxSimulatedCalls: options.simulateMaxCalls,
    syncTimeoutMs: { default: options.syncTimeout, max: options.syncTimeout },
    maxBatchItems: options.batchMaxItems,
    maxBatchBytes: options.batchMaxBytes,
    maxAssembledBytes: options.maxAssembledBytes,
    maxMemoizedBytes: options.maxReadyBytes,
    maxMemoizedLogBytes: options.maxReadyLogBytes,
    maxPoolResponseBytes: options.maxPoolAnswerBytes,
    maxResponseBytes: options.maxAnswerBytes,
    batchTimeoutMs: options.batchTimeout,
    maxNesting: options.maxNesting,
    maxItems: options.maxItems,
    maxMembers: options.maxMembers,
    maxValues: options.maxValues,
    maxOverrideAccounts: options.maxOverrideAccounts,
    maxOverrideSlots: options.maxOverrideSlots,
    maxLogCriteria: options.logsMaxCriteria,
    maxLogs: options.logsMaxResults,
    maxLogBytes: options.logsMaxBytes,
    maxLogBlocks: options.logsMaxRange,
    logTimeoutMs: options.logsTimeout,
    traceTimeoutMs: { default: Math.min(options.traceTimeout, options.traceMaxTimeout), max: options.traceMaxTimeout },
    maxTraceBytes: options.traceMaxBytes,
    filters: {
      maxFilters: options.maxFilters,
      maxFiltersPerClient: options.maxFiltersPerClient,
      maxFilterCriteria: options.maxFilterCriteria,
      maxFilterCriteriaPerClient: options.maxFilterCriteriaPerClient,
      maxFilterHashes: options.maxFilterHashes,
      maxFilterRemovedBytes: options.maxFilterRemovedBytes,
      filterLifetimeMs: options.filterLifetime,
    },
    maxSubscriptions: options.maxSubscriptions,
    maxSubscribedCriteria: options.maxSubscribedCriteria,
    maxHeldBytes: options.maxHeldBytes,
    maxInclusionWaits: options.maxWaits,
  }
}

/** Flags of the server's limits, which have the same names. */
export function serverLimitsOf(options: ServeOptions): ServerLimits {
  const { maxBodyBytes, maxFragments, maxConnections, maxSockets, maxInFlight, maxQueuedBytes, maxUnreadBytes } =
    options
  const { maxIncomingBytes, rpcWorkers } = options
  const { maxFeedSubscribers, maxFeedSubscribersPerAddress } = options
  const { headersTimeout, requestTimeout, writeTimeout, pingInterval, closeGrace } = options
  return {
    maxBodyBytes,
    maxFragments,
    maxConnections,
    maxSockets,
    maxFeedSubscribers,
    maxFeedSubscribersPerAddress,
    maxInFlight,
    // Each worker process gets an equal share.
    maxIncomingBytes: Math.ceil(maxIncomingBytes / Math.max(1, rpcWorkers)),
    maxQueuedBytes,
    maxUnreadBytes,
    headersTimeoutMs: headersTimeout,
    requestTimeoutMs: requestTimeout,
    writeTimeoutMs: writeTimeout,
    pingIntervalMs: pingInterval,
    closeGraceMs: closeGrace,
  }
}
