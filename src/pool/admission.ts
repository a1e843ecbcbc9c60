import { MAX_CODE_SIZE } from '../chain/constants.ts'
import type { DataFeeRules } from '../chain/fees/data-cost.ts'
import { gasCharges } from '../chain/fees/intrinsic-gas.ts'
import type { ChainConfig } from '../chain/forks/chain-config.ts'
import { blobScheduleAt } from '../chain/forks/fork-schedule.ts'
import type { Fork } from '../chain/forks/forks.ts'
import { rulesOf } from '../chain/forks/rules.ts'
import { sidecarFault } from '../chain/transaction/blob-sidecar.ts'
import { impersonatedSender } from '../chain/transaction/impersonation.ts'
import type { PoolRefusal } from '../chain/transaction/refusal.ts'
import {
  type BlobSidecar,
  maxFeePerGas,
  maxPriorityFeePerGas,
  type PoolTransaction,
} from '../chain/transaction/transaction.ts'
import {
  initcodeSizeLimit,
  maxBlobsPerTransaction,
  supportsType,
  transactionGasCap,
} from '../chain/transaction/transaction-limits.ts'
import type { Hash } from '../primitives/hex.ts'
import { MAX_UINT64 } from '../primitives/quantity.ts'
import type { PoolOptions } from './options.ts'
import { replacement } from './replacement.ts'
import {
  consecutive,
  entryAt,
  maxCost,
  nonceAfterAll,
  pendingCost,
  position,
  type SenderQueue,
} from './sender-queue.ts'
import type { SenderState } from './types.ts'

/** The chain's rules for transactions at this height. */
export interface AdmissionRules {
  readonly config: ChainConfig
  readonly fork: Fork
  readonly blockGasLimit: bigint
  /** Wei per gas of the open block. */
  readonly baseFee: bigint
  /** Wei per blob gas of the open block; absent on a chain without blobs. */
  readonly blobBaseFee?: bigint | undefined
  /** Prices of data on layer 1; absent: transactions pay for their gas only. */
  readonly dataFees?: DataFeeRules | undefined
}

/** Rejections that depend only on the transaction, in go-ethereum's order. */
export function judgeTransaction(
  transaction: PoolTransaction,
  rules: AdmissionRules,
  options: PoolOptions,
): PoolRefusal | undefined {
  const { config, fork, blockGasLimit, baseFee } = rules
  const { type, gasLimit, data, to } = transaction
  if (!supportsType(type, fork, config)) return { code: 'TYPE_NOT_SUPPORTED', type }
  const size = transaction.raw.length
  const limit = options.maxTransactionBytes + additionalInitcode(config)
  if (size > limit) return { code: 'OVERSIZED_DATA', size, limit }
  const { chainId } = transaction
  if (chainId === undefined && !options.acceptsUnprotected) return { code: 'NOT_REPLAY_PROTECTED' }
  if (chainId !== undefined && chainId !== config.chainId) {
    return { code: 'WRONG_CHAIN_ID', expected: config.chainId, actual: chainId, type }
  }
  if (to === null && data.length > initcodeSizeLimit(config)) {
    return { code: 'INITCODE_TOO_LARGE', size: data.length, limit: initcodeSizeLimit(config) }
  }
  if (gasLimit > blockGasLimit) return { code: 'EXCEEDS_BLOCK_GAS_LIMIT', gasLimit, blockGasLimit }
  const cap = transactionGasCap(config, fork)
  if (cap !== undefined && gasLimit > cap) return { code: 'GAS_ABOVE_CAP', gasLimit, cap }
  const feeCap = maxFeePerGas(transaction)
  const tip = maxPriorityFeePerGas(transaction)
  if (tip > feeCap)
    return { code: 'TIP_ABOVE_FEE_CAP', address: transaction.from, maxPriorityFeePerGas: tip, maxFeePerGas: feeCap }
  // The base fee of the next block is lower only where a development node has set it.
  const floorFee = smaller(config.layer2?.minBaseFee ?? 0n, baseFee)
  if (feeCap < floorFee) {
    const field = 'gasPrice' in transaction ? 'gasPrice' : 'maxFeePerGas'
    return { code: 'FEE_CAP_BELOW_FLOOR', maxFeePerGas: feeCap, floor: floorFee, field }
  }
  if (transaction.nonce === MAX_UINT64) {
    return { code: 'NONCE_MAX', address: transaction.from, actual: transaction.nonce }
  }
  const { intrinsic, floor } = gasCharges(transaction, fork)
  if (gasLimit < intrinsic) return { code: 'INTRINSIC_GAS_TOO_LOW', gasLimit, needed: intrinsic }
  if (gasLimit < floor) return { code: 'FLOOR_DATA_GAS_TOO_LOW', gasLimit, needed: floor }
  if (tip < options.minimumTipWei) return { code: 'TIP_BELOW_MINIMUM', tip, minimum: options.minimumTipWei }
  if (type === 3) {
    const reason = blobFault(transaction, rules)
    if (reason !== undefined) return { code: 'INVALID_BLOBS', reason }
  }
  if (type === 4 && transaction.authorizationList.length === 0) return { code: 'EMPTY_AUTHORIZATION_LIST' }
  const fee = gasLimit * feeCap
  if (options.feeCapWei > 0n && fee > options.feeCapWei) return { code: 'FEE_ABOVE_CAP', fee, cap: options.feeCapWei }
  return undefined
}

/** Bytes by which a transaction may be larger on a chain that allows larger code. */
function additionalInitcode(config: ChainConfig): number {
  return Math.max(0, initcodeSizeLimit(config) - 2 * MAX_CODE_SIZE)
}

/** Rejections of invalid blobs, except for their proofs, whose verification takes longer. */
function blobFault(
  transaction: Extract<PoolTransaction, { type: 3 }>,
  { config, fork }: AdmissionRules,
): string | undefined {
  const { blobVersionedHashes: hashes, sidecar, maxFeePerBlobGas } = transaction
  if (sidecar === undefined) return 'missing sidecar in blob transaction'
  if (hashes.length === 0) return 'blobless blob transaction'
  const most = maxBlobsPerTransaction(fork, blobScheduleAt(config, fork))
  if (hashes.length > most) return `too many blobs in transaction: have ${hashes.length}, permitted ${most}`
  if (maxFeePerBlobGas < 1n) return 'blob fee cap 0, minimum needed 1'
  return sidecarFault(sidecar, hashes, sidecarVersions(config, fork))
}

/** A development chain takes both forms of a sidecar: it has no other node that needs one of them. */
function sidecarVersions({ layer2 }: ChainConfig, fork: Fork): readonly BlobSidecar['version'][] {
  if (layer2 !== undefined) return [0, 1]
  return rulesOf(fork).hasCellProofs ? [1] : [0]
}

/** The sender of a transaction and its other transactions. */
export interface JudgedSender {
  readonly state: SenderState
  readonly queue: SenderQueue | undefined
  /** Whether the pool has an authorization of the sender (EIP-7702). */
  readonly isAuthority?: boolean
}

/**
 * Rejections that depend on the sender's account and pooled transactions.
 *
 * @param dataCost see `PoolEntry`
 */
export function judgeSender(
  transaction: PoolTransaction,
  { state, queue, isAuthority = false }: JudgedSender,
  options: PoolOptions,
  dataCost = 0n,
): PoolRefusal | undefined {
  const { nonce, from: address } = transaction
  const { judgesSenders } = options
  const isContract = state.code === 'contract' && impersonatedSender(transaction) === undefined
  if (judgesSenders && isContract) return { code: 'SENDER_NOT_EOA', address }
  if (nonce < state.nonce) return { code: 'NONCE_TOO_LOW', address, expected: state.nonce, actual: nonce }
  const entries = queue?.entries ?? []
  const waiting = entryAt(entries, nonce)
  const pending = consecutive(entries, state.nonce)
  const isQueued = nonce > nonceAfterAll(entries, state.nonce)
  const cost = maxCost(transaction) + dataCost
  // A queued transaction may never run: its cost does not count for pending ones (go-ethereum,
  // core/txpool/validation.go).
  const queuedCost = isQueued || queue === undefined ? 0n : pendingCost(queue, pending, nonce)
  if (judgesSenders && state.balance < cost + queuedCost) {
    return { code: 'INSUFFICIENT_FUNDS', address, balance: state.balance, cost, queuedCost }
  }
  if (isQueued && transaction.mustBeExecutable === true) {
    return { code: 'NONCE_GAP', address, expected: nonceAfterAll(entries, state.nonce), actual: nonce }
  }
  if (waiting !== undefined) {
    // A replacement adds no transaction, so the limits on counts below need no check. `judgeTransaction` has checked
    // its size, and `Pool.add` will check the bytes of the pool.
    const decision = replacement(waiting.transaction, transaction, options)
    if (decision.kind === 'replaces') return undefined
    const { requiredMaxFeePerGas, requiredMaxPriorityFeePerGas } = decision
    const replaced = waiting.transaction.hash
    return { code: 'REPLACEMENT_UNDERPRICED', replaced, nonce, requiredMaxFeePerGas, requiredMaxPriorityFeePerGas }
  }
  // Anyone may be able to drain a delegated account: few of its transactions may be pooled (EIP-7702).
  const isLimited = judgesSenders && options.delegatedSlots < Number.POSITIVE_INFINITY
  if (isLimited && (state.code === 'delegation' || isAuthority)) {
    if (isQueued && pending === 0) return { code: 'DELEGATED_NONCE_GAP' }
    if (entries.length >= options.delegatedSlots) return { code: 'DELEGATED_IN_FLIGHT_LIMIT' }
  }
  if (entries.length >= options.maxTransactionsPerSender) return { code: 'ACCOUNT_LIMIT', pooled: entries.length }
  if (isQueued && entries.length - pending >= options.maxQueuedPerSender) {
    return { code: 'ACCOUNT_LIMIT', pooled: entries.length }
  }
  return undefined
}

/**
 * Refuses a transaction that must be executable while its fee cap, or that of an earlier one of its sender, is below
 * the base fee of gas or of blob gas.
 */
export function judgeExecutable(
  transaction: PoolTransaction,
  { state, queue }: JudgedSender,
  fees: Pick<AdmissionRules, 'baseFee' | 'blobBaseFee'>,
): PoolRefusal | undefined {
  if (transaction.mustBeExecutable !== true) return undefined
  const entries = queue?.entries ?? []
  const earlier = entries.slice(position(entries, state.nonce), position(entries, transaction.nonce))
  for (const blocking of [...earlier.map((entry) => entry.transaction), transaction]) {
    const refusal = judgeFees(blocking, transaction.hash, fees)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** @param hash of the transaction that must be executable, which `blocking` precedes or is */
function judgeFees(
  blocking: PoolTransaction,
  hash: Hash,
  { baseFee, blobBaseFee = 0n }: Pick<AdmissionRules, 'baseFee' | 'blobBaseFee'>,
): PoolRefusal | undefined {
  const feeCap = maxFeePerGas(blocking)
  if (feeCap < baseFee) {
    return { code: 'BASE_FEE_BLOCKED', hash, blocking: blocking.hash, maxFeePerGas: feeCap, baseFee }
  }
  if (blocking.type !== 3 || blocking.maxFeePerBlobGas >= blobBaseFee) return undefined
  const { maxFeePerBlobGas } = blocking
  return { code: 'BLOB_FEE_BLOCKED', hash, blocking: blocking.hash, maxFeePerBlobGas, blobBaseFee }
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
