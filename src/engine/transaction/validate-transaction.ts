import type { GasCharges } from '../../chain/fees/intrinsic-gas.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { initcodeSizeLimit, maxBlobsPerTransaction, supportsType } from '../../chain/transaction/transaction-limits.ts'
import type { Hash } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { MAX_UINT64 } from '../../primitives/quantity.ts'
import type { Account } from '../../state/account.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { BlockEnv, Call, CallChecks } from '../types.ts'
import { delegationOf } from './delegation.ts'
import { maxTransactionCost } from './fees.ts'

/** EIP-4844: version byte of the hash of a KZG commitment. */
const KZG_HASH_PREFIX = '0x01'

/** Context of a validation. */
export interface ValidationContext {
  readonly env: BlockEnv
  readonly config: ChainConfig
  readonly state: StateReader
  /** The sender before the message. */
  readonly sender: Account
  /** Of the message. */
  readonly charges: GasCharges
  /** Wei that a signed transaction pays for its data on layer 1 and to the operator; 0 elsewhere. */
  readonly dataCost: bigint
}

/** Limits of a signed transaction. */
export interface TransactionLimits {
  /** Gas left in the block. */
  readonly remainingGas: bigint
  /** Maximum gas limit of a transaction (EIP-7825). Default: that of the block. */
  readonly gasCap?: bigint
}

/** Checks type and chain id of a signed transaction, which do not depend on the state. */
export function validateEnvelope(
  transaction: PoolTransaction,
  { env, config }: Pick<ValidationContext, 'env' | 'config'>,
): InvalidTransaction | undefined {
  const { type, chainId } = transaction
  if (!supportsType(type, env.fork, config)) return { code: 'TYPE_NOT_SUPPORTED', type }
  if (chainId !== undefined && chainId !== config.chainId) {
    return { code: 'WRONG_CHAIN_ID', expected: config.chainId, actual: chainId }
  }
  return undefined
}

/**
 * Validates a message in go-ethereum's order (core/state_transition.go), so that the same one of several faults is
 * reported. Read-only.
 *
 * @param limits absent for calls
 * @returns undefined when valid
 */
export function validateMessage(
  call: Call,
  checks: CallChecks,
  context: ValidationContext,
  limits?: TransactionLimits,
): InvalidTransaction | undefined {
  return (
    validateNonce(call, checks, context) ??
    validateGasCap(call, limits) ??
    (checks.senderWithoutCode === true ? validateSender(call, context) : undefined) ??
    validateFees(call, checks, context) ??
    validateBlobs(call, checks, context) ??
    validateAuthorizations(call) ??
    validateFunds(call, checks, context) ??
    validateBlockGas(call, limits) ??
    validateGas(call, context) ??
    (checks.senderWithoutCode === 'last' ? validateSender(call, context) : undefined)
  )
}

function validateNonce(call: Call, checks: CallChecks, { sender }: ValidationContext): InvalidTransaction | undefined {
  const address = call.from
  const expected = sender.nonce
  const actual = call.nonce ?? expected
  if (checks.nonce && actual < expected) return { code: 'NONCE_TOO_LOW', address, expected, actual }
  if (checks.nonce && actual > expected) return { code: 'NONCE_TOO_HIGH', address, expected, actual }
  // EIP-2681: the nonce could not be incremented. A call wraps around, unless it creates a contract at an address
  // derived from it.
  if ((checks.nonce || call.to === null) && actual >= MAX_UINT64) return { code: 'NONCE_MAX', address, actual }
  return undefined
}

function validateGasCap(call: Call, limits?: TransactionLimits): InvalidTransaction | undefined {
  if (limits?.gasCap === undefined || call.gasLimit <= limits.gasCap) return undefined
  return { code: 'GAS_ABOVE_CAP', gasLimit: call.gasLimit, cap: limits.gasCap }
}

/** EIP-3607 with the exception of EIP-7702. */
function validateSender(call: Call, { state, sender }: ValidationContext): InvalidTransaction | undefined {
  const { codeHash } = sender
  if (codeHash === EMPTY_CODE_HASH || delegationOf(state.code(codeHash)) !== undefined) return undefined
  return { code: 'SENDER_NOT_EOA', address: call.from, codeHash }
}

/** EIP-1559 */
function validateFees(call: Call, checks: CallChecks, { env }: ValidationContext): InvalidTransaction | undefined {
  const { maxFeePerGas, maxPriorityFeePerGas, from: address } = call
  if (!rulesOf(env.fork).hasBaseFee) return undefined
  if (maxPriorityFeePerGas > maxFeePerGas) {
    return { code: 'TIP_ABOVE_FEE_CAP', address, maxPriorityFeePerGas, maxFeePerGas }
  }
  const paysNothing = maxFeePerGas === 0n && maxPriorityFeePerGas === 0n
  if (paysNothing && !checks.baseFee) return undefined
  if (maxFeePerGas < env.baseFee) return { code: 'FEE_CAP_TOO_LOW', address, maxFeePerGas, baseFee: env.baseFee }
  return undefined
}

/** EIP-4844 */
function validateBlobs(call: Call, checks: CallChecks, { env }: ValidationContext): InvalidTransaction | undefined {
  const hashes = call.blobVersionedHashes
  if (hashes === undefined) return undefined
  const reason = blobFault(call, hashes, env)
  if (reason !== undefined) return { code: 'INVALID_BLOBS', reason }
  const maxFeePerBlobGas = call.maxFeePerBlobGas ?? 0n
  if (maxFeePerBlobGas === 0n && !checks.baseFee) return undefined
  if (maxFeePerBlobGas >= env.blobBaseFee) return undefined
  return { code: 'BLOB_FEE_CAP_TOO_LOW', maxFeePerBlobGas, blobBaseFee: env.blobBaseFee }
}

function blobFault(call: Call, hashes: readonly Hash[], env: BlockEnv): string | undefined {
  if (call.to === null) return 'blob transaction of type create'
  if (hashes.length === 0) return 'blob transaction missing blob hashes'
  const max = maxBlobsPerTransaction(env.fork, env.blobSchedule)
  if (hashes.length > max) return `blob transaction has too many blobs: ${hashes.length}, at most ${max}`
  const wrong = hashes.findIndex((hash) => !hash.startsWith(KZG_HASH_PREFIX))
  return wrong < 0 ? undefined : `blob ${wrong} has invalid hash version`
}

/** EIP-7702 */
function validateAuthorizations(call: Call): InvalidTransaction | undefined {
  if (call.authorizationList === undefined) return undefined
  if (call.to === null) return { code: 'SET_CODE_CREATES' }
  return call.authorizationList.length === 0 ? { code: 'EMPTY_AUTHORIZATION_LIST' } : undefined
}

function validateFunds(
  call: Call,
  checks: CallChecks,
  { sender, dataCost }: ValidationContext,
): InvalidTransaction | undefined {
  if (checks.gasFunds === 'lent') return undefined
  const { balance } = sender
  const cost = checks.gasFunds ? maxTransactionCost(call) + dataCost : call.value
  return balance < cost ? { code: 'INSUFFICIENT_FUNDS', address: call.from, balance, cost, queuedCost: 0n } : undefined
}

function validateBlockGas({ gasLimit }: Call, limits?: TransactionLimits): InvalidTransaction | undefined {
  if (limits === undefined || gasLimit <= limits.remainingGas) return undefined
  return { code: 'BLOCK_GAS_EXCEEDED', gasLimit, remaining: limits.remainingGas }
}

/** Intrinsic gas, calldata floor (EIP-7623), initcode size (EIP-3860). */
function validateGas(call: Call, { env, config, charges }: ValidationContext): InvalidTransaction | undefined {
  const { gasLimit, data } = call
  const { intrinsic, floor } = charges
  if (gasLimit < intrinsic) return { code: 'INTRINSIC_GAS_TOO_LOW', gasLimit, needed: intrinsic }
  if (gasLimit < floor) return { code: 'FLOOR_DATA_GAS_TOO_LOW', gasLimit, needed: floor }
  if (call.to === null && rulesOf(env.fork).hasInitcodeLimit && data.length > initcodeSizeLimit(config)) {
    return { code: 'INITCODE_TOO_LARGE', size: data.length, limit: initcodeSizeLimit(config) }
  }
  return undefined
}
