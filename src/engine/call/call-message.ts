import type { AccessList, Authorization } from '../../chain/transaction/transaction.ts'
import { type Address, type Bytes, EMPTY_BYTES, type Hash, ZERO_ADDRESS } from '../../primitives/hex.ts'
import type { BlockEnv, Call, CallChecks, Writable } from '../types.ts'

const NO_ACCESS: AccessList = Object.freeze([])

/** Gas that a call, an estimate or a whole simulation may use (spec-facts 8.4). */
export const DEFAULT_GAS_CAP = 50_000_000n

/** A call as a client asks for it: everything has a default (spec-facts 9.4). */
export interface CallRequest {
  /** Default: the zero address. */
  readonly from?: Address
  /** Absent or `null`: creates a contract. */
  readonly to?: Address | null
  readonly gas?: bigint
  /** Wei per gas; not together with the two below. */
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  /** Wei. */
  readonly value?: bigint
  readonly data?: Bytes
  readonly nonce?: bigint
  readonly accessList?: AccessList
  readonly authorizationList?: readonly Authorization[]
  readonly blobVersionedHashes?: readonly Hash[]
  /** Wei per blob gas. */
  readonly maxFeePerBlobGas?: bigint
  readonly chainId?: bigint
}

/** Why a request is no call at all. */
export type CallRequestError =
  | { readonly code: 'BOTH_FEE_STYLES' }
  | { readonly code: 'WRONG_CHAIN_ID'; readonly expected: bigint; readonly actual: bigint }

export type CallMessage =
  | {
      readonly kind: 'message'
      readonly call: Call
      /**
       * To run it in. A call that offers no blob fee pays none, and sees none (go-ethereum). One that offers no fee
       * pays none either, but the base fee it sees is the block's, as a transaction in that block would see it.
       */
      readonly env: BlockEnv
    }
  | { readonly kind: 'invalid'; readonly error: CallRequestError }

/** What `eth_call` and estimates enforce: a contract may send, nonces do not matter, who offers fees must have them. */
export const CALL_CHECKS: CallChecks = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: true }

/**
 * The message that a request stands for, with go-ethereum's defaults: gas up to `gasCap`, no fees, no value.
 * Whether offered fees suffice is checked when it runs.
 *
 * @example callMessage({ to, data }, blockEnv(header, config), config.chainId, DEFAULT_GAS_CAP)
 */
export function callMessage(request: CallRequest, env: BlockEnv, chainId: bigint, gasCap: bigint): CallMessage {
  const error = callRequestError(request, chainId)
  if (error !== undefined) return { kind: 'invalid', error }
  const call = withDefaults(request, smaller(request.gas ?? gasCap, gasCap))
  const offersBlobFee = call.maxFeePerBlobGas !== undefined && call.maxFeePerBlobGas > 0n
  return { kind: 'message', call, env: offersBlobFee ? env : withoutBlobFee(env) }
}

/** By what they were made from: an environment that is written already is known by its identity. */
const withoutBlobFees = new WeakMap<BlockEnv, BlockEnv>()

function withoutBlobFee(env: BlockEnv): BlockEnv {
  let without = withoutBlobFees.get(env)
  if (without === undefined) {
    without = { ...env, blobBaseFee: 0n }
    withoutBlobFees.set(env, without)
  }
  return without
}

/**
 * The environment as go-ethereum has it for calls, estimates and access lists: one that offers no fee sees a base fee of 0.
 */
export function envWithoutUnofferedFee(env: BlockEnv, request: CallRequest): BlockEnv {
  return (request.gasPrice ?? request.maxFeePerGas ?? 0n) === 0n ? { ...env, baseFee: 0n } : env
}

/** What is wrong with a request by itself. */
export function callRequestError(request: CallRequest, chainId: bigint): CallRequestError | undefined {
  const hasCaps = request.maxFeePerGas !== undefined || request.maxPriorityFeePerGas !== undefined
  if (request.gasPrice !== undefined && hasCaps) return { code: 'BOTH_FEE_STYLES' }
  if (request.chainId !== undefined && request.chainId !== chainId) {
    return { code: 'WRONG_CHAIN_ID', expected: chainId, actual: request.chainId }
  }
  return undefined
}

/** The message with this gas limit and go-ethereum's defaults for the rest. */
export function withDefaults(request: CallRequest, gasLimit: bigint): Call {
  const { nonce, authorizationList, blobVersionedHashes } = request
  const call: Writable<Call> = {
    from: request.from ?? ZERO_ADDRESS,
    to: request.to ?? null,
    gasLimit,
    value: request.value ?? 0n,
    data: request.data ?? EMPTY_BYTES,
    maxFeePerGas: request.gasPrice ?? request.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: request.gasPrice ?? request.maxPriorityFeePerGas ?? 0n,
    accessList: request.accessList ?? NO_ACCESS,
  }
  if (nonce !== undefined) call.nonce = nonce
  if (authorizationList !== undefined) call.authorizationList = authorizationList
  if (blobVersionedHashes !== undefined) {
    call.blobVersionedHashes = blobVersionedHashes
    call.maxFeePerBlobGas = request.maxFeePerBlobGas ?? 0n
  }
  return call
}

/** Of two amounts of gas. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
