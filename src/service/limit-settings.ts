import { dialectOf } from '../flags/genesis/profile-options.ts'
import type { ServeOptions, StartOptions } from '../flags/start-flags.ts'
import { DEFAULT_POOL_OPTIONS, POOL_LIMITS, type PoolOptions } from '../pool/options.ts'
import { pickLimits } from '../primitives/limit.ts'
import type { NodeLimits } from '../rest/tokenized-stocks/node-source.ts'
import type { RpcOptions } from '../rpc/context/options.ts'
import { RPC_DEFAULTS } from '../rpc/create-rpc.ts'
import { RPC_LIMITS } from '../rpc/protocol/limits.ts'
import { SERVER_LIMITS, type ServerLimits } from '../server/transport/limits.ts'

/** Options of the pool. */
export function poolOptionsOf(options: StartOptions): PoolOptions {
  const replacementBumpPercent = options.replacementBumpPercent ?? usualBump(options)
  const delegatedSlots = options.delegatedSlots ?? usualDelegatedSlots(options)
  const maxTransactionBytes = options.maxTransactionBytes ?? usualTransactionBytes(options)
  return {
    ...DEFAULT_POOL_OPTIONS,
    ...pickLimits(POOL_LIMITS, { ...options, replacementBumpPercent, delegatedSlots, maxTransactionBytes }),
    acceptsUnprotected: isDevelopmentMode(options),
    order: options.order,
  }
}

/** In Anvil any higher price replaces. */
function usualBump({ compat }: Pick<StartOptions, 'compat'>): bigint {
  return compat === 'anvil' ? 0n : DEFAULT_POOL_OPTIONS.replacementBumpPercent
}

/** Anvil and Hardhat have no limit but that of a request. */
function usualTransactionBytes({ compat }: Pick<StartOptions, 'compat'>): number {
  const { fallback, maximum } = POOL_LIMITS.maxTransactionBytes
  return compat === undefined ? fallback : Number(maximum)
}

/** Anvil and Hardhat have no limit. */
function usualDelegatedSlots(options: Pick<StartOptions, 'compat' | 'mining'>): number {
  return isDevelopmentMode(options) ? Number.POSITIVE_INFINITY : DEFAULT_POOL_OPTIONS.delegatedSlots
}

/** Whether blocks are built on demand, or another development node is reproduced. */
function isDevelopmentMode({ compat, mining }: Pick<ServeOptions, 'compat' | 'mining'>): boolean {
  return compat !== undefined || mining?.kind === 'on-demand'
}

type RpcSettings = Omit<
  RpcOptions,
  | 'clientVersion'
  | 'version'
  | 'networkId'
  | 'defaultSender'
  | 'httpNamespaces'
  | 'wsNamespaces'
  | 'development'
  | 'outside'
>

/** Limits of JSON-RPC, and the form of its responses. */
export function rpcLimitsOf(options: ServeOptions): RpcSettings {
  return {
    ...RPC_DEFAULTS,
    ...pickLimits(RPC_LIMITS, options),
    dialect: dialectOf(options),
    compat: options.compat,
    estimateInnerGas: options.estimateInnerGas ?? (isDevelopmentMode(options) ? 'strict' : 'go-ethereum'),
    latestState: options.latestState,
    receiptWaitMs: options.receiptWait,
    proofWindowSeconds: proofWindowOf(options),
  }
}

/** Limits of the reads of the stock service. */
export function readLimitsOf(options: ServeOptions): NodeLimits {
  const { callGasCap, callTimeoutMs } = options
  return { callGasCap, callTimeoutMs, proofWindowSeconds: proofWindowOf(options) }
}

function proofWindowOf({ proofWindow }: Pick<ServeOptions, 'proofWindow'>): number {
  return proofWindow === 'all' ? Number.POSITIVE_INFINITY : proofWindow
}

/** Limits of the server. Each worker process gets an equal share of the bytes of requests. */
export function serverLimitsOf(options: ServeOptions): ServerLimits {
  const maxIncomingBytes = Math.ceil(options.maxIncomingBytes / Math.max(1, options.rpcWorkers))
  return pickLimits(SERVER_LIMITS, { ...options, maxIncomingBytes })
}
