import type { AccessList, Authorization } from '../../chain/transaction/transaction.ts'
import { type Address, type Bytes, EMPTY_BYTES, type Hash, ZERO_ADDRESS } from '../../primitives/hex.ts'
import type { BlockEnv, Call, CallChecks, Writable } from '../types.ts'

const NO_ACCESS: AccessList = Object.freeze([])

/** Gas cap of a call, an estimate or a whole simulation. */
export const DEFAULT_GAS_CAP = 50_000_000n

/** Call arguments of a client; all have defaults. */
export interface CallRequest {
  /** Default: the zero address. */
  readonly from?: Address
  /** Absent or `null` creates a contract. */
  readonly to?: Address | null
  readonly gas?: bigint
  /** Wei per gas; excludes the two below. */
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

/** Why call arguments are invalid. */
export type CallRequestError =
  | { readonly code: 'BOTH_FEE_STYLES' }
  | { readonly code: 'WRONG_CHAIN_ID'; readonly expected: bigint; readonly actual: bigint }

export type CallMessage =
  | {
      readonly kind: 'message'
      readonly call: Call
      /**
       * Environment of the call. A call without fees pays none, but sees the base fees of the block, as a transaction
       * in that block would. As in go-ethereum, the blob base fee is 0 for blobs that offer nothing.
       */
      readonly env: BlockEnv
    }
  | { readonly kind: 'invalid'; readonly error: CallRequestError }

/** Checks of `eth_call` and estimates: contracts may send, nonces are ignored, offered fees must be covered. */
export const CALL_CHECKS: CallChecks = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: true }

/**
 * The message of call arguments, with go-ethereum's defaults: gas up to `gasCap`, no fees, no value. Whether the fees
 * suffice is checked when it runs.
 *
 * @example callMessage({ to, data }, blockEnv(header, config), config.chainId, DEFAULT_GAS_CAP)
 */
export function callMessage(request: CallRequest, env: BlockEnv, chainId: bigint, gasCap: bigint): CallMessage {
  const error = callRequestError(request, chainId)
  if (error !== undefined) return { kind: 'invalid', error }
  const call = withDefaults(request, smaller(request.gas ?? gasCap, gasCap))
  return { kind: 'message', call, env: call.maxFeePerBlobGas === 0n ? withoutBlobFee(env) : env }
}

/** Keyed by the original environment: an instance recognises one that it has already loaded by identity. */
const withoutBlobFees = new WeakMap<BlockEnv, BlockEnv>()

function withoutBlobFee(env: BlockEnv): BlockEnv {
  let without = withoutBlobFees.get(env)
  if (without === undefined) {
    without = { ...env, blobBaseFee: 0n }
    withoutBlobFees.set(env, without)
  }
  return without
}

/** As go-ethereum's environment for calls, estimates and access lists: without a fee, the base fee reads as 0. */
export function envWithoutUnofferedFee(env: BlockEnv, request: CallRequest): BlockEnv {
  return (request.gasPrice ?? request.maxFeePerGas ?? 0n) === 0n ? { ...env, baseFee: 0n } : env
}

/** Checks that need no state. */
export function callRequestError(request: CallRequest, chainId: bigint): CallRequestError | undefined {
  const hasCaps = request.maxFeePerGas !== undefined || request.maxPriorityFeePerGas !== undefined
  if (request.gasPrice !== undefined && hasCaps) return { code: 'BOTH_FEE_STYLES' }
  if (request.chainId !== undefined && request.chainId !== chainId) {
    return { code: 'WRONG_CHAIN_ID', expected: chainId, actual: request.chainId }
  }
  return undefined
}

/** The message with this gas limit and go-ethereum's defaults. */
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

/** The smaller of two amounts of gas. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** Why call arguments are invalid, in go-ethereum's words. */
export function callRequestErrorMessage(error: CallRequestError): string {
  switch (error.code) {
    case 'BOTH_FEE_STYLES':
      return 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified'
    case 'WRONG_CHAIN_ID':
      return `chainId does not match node's (have=${error.actual}, want=${error.expected})`
  }
}
