import type { SubmitRefusal } from '../../src/chain/transaction/refusal.ts'
import { type Address, type Hash, toAddress, toHash } from '../../src/primitives/hex.ts'

type RefusalOf<Code extends SubmitRefusal['code']> = Extract<SubmitRefusal, { readonly code: Code }>

const SENDER: Address = toAddress(`0x${'11'.repeat(20)}`)
const REPLACED: Hash = toHash(`0x${'22'.repeat(32)}`)

/** One example of each rejection, so that the reference shows every message. */
export const REFUSALS: { readonly [Code in SubmitRefusal['code']]: RefusalOf<Code> } = {
  ALREADY_KNOWN: { code: 'ALREADY_KNOWN' },
  NONCE_TOO_LOW: { code: 'NONCE_TOO_LOW', address: SENDER, expected: 7n, actual: 5n },
  INSUFFICIENT_FUNDS: { code: 'INSUFFICIENT_FUNDS', address: SENDER, balance: 5n, cost: 9n, queuedCost: 0n },
  REPLACEMENT_UNDERPRICED: {
    code: 'REPLACEMENT_UNDERPRICED',
    nonce: 0n,
    replaced: REPLACED,
    requiredMaxFeePerGas: 11n,
    requiredMaxPriorityFeePerGas: 2n,
  },
  NONCE_MAX: { code: 'NONCE_MAX', address: SENDER, actual: 2n ** 64n - 1n },
  UNDERPRICED: { code: 'UNDERPRICED' },
  NONCE_GAP: { code: 'NONCE_GAP', address: SENDER, expected: 5n, actual: 7n },
  BASE_FEE_BLOCKED: {
    code: 'BASE_FEE_BLOCKED',
    hash: REPLACED,
    blocking: REPLACED,
    maxFeePerGas: 5_000_000n,
    baseFee: 6_000_000n,
  },
  BLOB_FEE_BLOCKED: {
    code: 'BLOB_FEE_BLOCKED',
    hash: REPLACED,
    blocking: REPLACED,
    maxFeePerBlobGas: 1n,
    blobBaseFee: 2n,
  },
  TIP_BELOW_MINIMUM: { code: 'TIP_BELOW_MINIMUM', tip: 1n, minimum: 2n },
  ACCOUNT_LIMIT: { code: 'ACCOUNT_LIMIT', pooled: 1_024 },
  DELEGATED_IN_FLIGHT_LIMIT: { code: 'DELEGATED_IN_FLIGHT_LIMIT' },
  DELEGATED_NONCE_GAP: { code: 'DELEGATED_NONCE_GAP' },
  AUTHORITY_RESERVED: { code: 'AUTHORITY_RESERVED', authority: SENDER, nonce: 7n },
  OVERSIZED_DATA: { code: 'OVERSIZED_DATA', size: 131_073, limit: 131_072 },
  TYPE_NOT_SUPPORTED: { code: 'TYPE_NOT_SUPPORTED', type: 3 },
  WRONG_CHAIN_ID: { code: 'WRONG_CHAIN_ID', expected: 31_337n, actual: 1n },
  NOT_REPLAY_PROTECTED: { code: 'NOT_REPLAY_PROTECTED' },
  EXCEEDS_BLOCK_GAS_LIMIT: { code: 'EXCEEDS_BLOCK_GAS_LIMIT', gasLimit: 500_000_000n, blockGasLimit: 400_000_000n },
  GAS_ABOVE_CAP: { code: 'GAS_ABOVE_CAP', gasLimit: 20_000_000n, cap: 16_777_216n },
  INTRINSIC_GAS_TOO_LOW: { code: 'INTRINSIC_GAS_TOO_LOW', gasLimit: 20_000n, needed: 21_000n },
  FLOOR_DATA_GAS_TOO_LOW: { code: 'FLOOR_DATA_GAS_TOO_LOW', gasLimit: 21_000n, needed: 22_000n },
  INITCODE_TOO_LARGE: { code: 'INITCODE_TOO_LARGE', size: 49_153, limit: 49_152 },
  TIP_ABOVE_FEE_CAP: { code: 'TIP_ABOVE_FEE_CAP', address: SENDER, maxPriorityFeePerGas: 2n, maxFeePerGas: 1n },
  FEE_CAP_BELOW_FLOOR: { code: 'FEE_CAP_BELOW_FLOOR', maxFeePerGas: 1n, floor: 5_000_000n, field: 'maxFeePerGas' },
  INVALID_BLOBS: { code: 'INVALID_BLOBS', reason: 'missing sidecar in blob transaction' },
  SENDER_NOT_EOA: { code: 'SENDER_NOT_EOA', address: SENDER },
  EMPTY_AUTHORIZATION_LIST: { code: 'EMPTY_AUTHORIZATION_LIST' },
  FEE_ABOVE_CAP: { code: 'FEE_ABOVE_CAP', fee: 2n * 10n ** 18n, cap: 10n ** 18n },
  UNDECODABLE: { code: 'UNDECODABLE', reason: 'the list ends too early' },
  INVALID_SIGNATURE: { code: 'INVALID_SIGNATURE', reason: 'invalid sender' },
  TOO_MANY_BLOBS: { code: 'TOO_MANY_BLOBS', limit: 64 },
}
