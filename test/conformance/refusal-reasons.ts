import type { InvalidTransaction } from '../../src/chain/transaction/refusal.ts'
import { TransactionDecodeError } from '../../src/chain/transaction/transaction-decode-error.ts'
import type { ImportFailure } from '../../src/engine/block/import-block.ts'
import { RlpError } from '../../src/primitives/rlp.ts'

/** Names in the suites (`BlockException.NAME`, `TransactionException.NAME`) that match a rejection by this node. */
export type SuiteReasons = readonly string[]

const TRANSACTION_REASONS: Readonly<Record<InvalidTransaction['code'], SuiteReasons>> = {
  NONCE_TOO_LOW: ['NONCE_MISMATCH_TOO_LOW'],
  NONCE_TOO_HIGH: ['NONCE_MISMATCH_TOO_HIGH'],
  NONCE_MAX: ['NONCE_IS_MAX'],
  INSUFFICIENT_FUNDS: ['INSUFFICIENT_ACCOUNT_FUNDS', 'GASLIMIT_PRICE_PRODUCT_OVERFLOW'],
  FEE_CAP_TOO_LOW: ['INSUFFICIENT_MAX_FEE_PER_GAS'],
  TIP_ABOVE_FEE_CAP: ['PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS'],
  INTRINSIC_GAS_TOO_LOW: ['INTRINSIC_GAS_TOO_LOW'],
  FLOOR_DATA_GAS_TOO_LOW: ['INTRINSIC_GAS_BELOW_FLOOR_GAS_COST'],
  INITCODE_TOO_LARGE: ['INITCODE_SIZE_EXCEEDED'],
  SENDER_NOT_EOA: ['SENDER_NOT_EOA'],
  TYPE_NOT_SUPPORTED: [
    'TYPE_NOT_SUPPORTED',
    'TYPE_1_TX_PRE_FORK',
    'TYPE_2_TX_PRE_FORK',
    'TYPE_3_TX_PRE_FORK',
    'TYPE_4_TX_PRE_FORK',
  ],
  BLOCK_GAS_EXCEEDED: ['GAS_ALLOWANCE_EXCEEDED', 'GAS_USED_OVERFLOW'],
  GAS_ABOVE_CAP: ['GAS_LIMIT_EXCEEDS_MAXIMUM'],
  EMPTY_AUTHORIZATION_LIST: ['TYPE_4_EMPTY_AUTHORIZATION_LIST'],
  SET_CODE_CREATES: ['TYPE_4_TX_CONTRACT_CREATION'],
  WRONG_CHAIN_ID: ['INVALID_CHAINID'],
  BLOB_FEE_CAP_TOO_LOW: ['INSUFFICIENT_MAX_FEE_PER_BLOB_GAS'],
  INVALID_BLOBS: [],
}

/** By the first words of an INVALID_BLOBS message. */
const BLOB_REASONS: readonly (readonly [start: string, names: SuiteReasons])[] = [
  ['blob transaction of type create', ['TYPE_3_TX_CONTRACT_CREATION']],
  ['blob transaction missing blob hashes', ['TYPE_3_TX_ZERO_BLOBS']],
  [
    'blob transaction has too many blobs',
    ['TYPE_3_TX_BLOB_COUNT_EXCEEDED', 'TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED'],
  ],
  ['blob ', ['TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH', 'INVALID_VERSIONED_HASHES']],
]

type Member = Extract<ImportFailure, { member: unknown }>['member']

const MEMBER_REASONS: Readonly<Partial<Record<Member, SuiteReasons>>> = {
  parentHash: ['UNKNOWN_PARENT', 'UNKNOWN_PARENT_ZERO'],
  number: ['INVALID_BLOCK_NUMBER'],
  timestamp: ['INVALID_BLOCK_TIMESTAMP_OLDER_THAN_PARENT'],
  gasLimit: ['INVALID_GASLIMIT', 'GASLIMIT_TOO_BIG'],
  gasUsed: ['INVALID_GAS_USED', 'INVALID_GAS_USED_ABOVE_LIMIT', 'GAS_USED_OVERFLOW'],
  extraData: ['EXTRA_DATA_TOO_BIG'],
  difficulty: ['INVALID_DIFFICULTY', 'IMPORT_IMPOSSIBLE_DIFFICULTY_OVER_PARIS'],
  nonce: ['IMPORT_IMPOSSIBLE_LEGACY'],
  sha3Uncles: ['INVALID_UNCLES_HASH', 'IMPORT_IMPOSSIBLE_UNCLES_OVER_PARIS', 'TOO_MANY_UNCLES'],
  baseFeePerGas: ['INVALID_BASEFEE_PER_GAS', 'INCORRECT_BLOCK_FORMAT'],
  withdrawalsRoot: ['INVALID_WITHDRAWALS_ROOT', 'INCORRECT_BLOCK_FORMAT'],
  withdrawals: ['INVALID_WITHDRAWALS_ROOT', 'INCORRECT_BLOCK_FORMAT'],
  // A block with too many blobs is rejected by its sum before its transactions are checked.
  blobGasUsed: [
    'INCORRECT_BLOB_GAS_USED',
    'BLOB_GAS_USED_ABOVE_LIMIT',
    'TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED',
    'INCORRECT_BLOCK_FORMAT',
  ],
  excessBlobGas: ['INCORRECT_EXCESS_BLOB_GAS', 'INCORRECT_BLOCK_FORMAT'],
  parentBeaconBlockRoot: ['INCORRECT_BLOCK_FORMAT'],
  requestsHash: ['INVALID_REQUESTS', 'INCORRECT_BLOCK_FORMAT'],
  transactionsRoot: ['INVALID_TRANSACTIONS_ROOT'],
  receiptsRoot: ['INVALID_RECEIPTS_ROOT'],
  logsBloom: ['INVALID_LOG_BLOOM', 'INVALID_BLOOM'],
  stateRoot: ['INVALID_STATE_ROOT'],
}

/** The suite's names for a rejected block. */
export function blockReasons(failure: ImportFailure): SuiteReasons {
  switch (failure.code) {
    case 'INVALID_TRANSACTION':
      return transactionReasons(failure.error)
    case 'INVALID_DEPOSIT_EVENT':
      return ['INVALID_DEPOSIT_EVENT_LAYOUT']
    case 'SYSTEM_CALL_FAILED':
      return [failure.reason === 'no code' ? 'SYSTEM_CONTRACT_EMPTY' : 'SYSTEM_CONTRACT_CALL_FAILED']
    case 'BLOCK_TOO_LARGE':
      return ['RLP_BLOCK_LIMIT_EXCEEDED']
    case 'INVALID_SYSTEM_TRANSACTION':
      // The suites are about layer 1.
      return []
    default:
      return MEMBER_REASONS[failure.member] ?? []
  }
}

export function transactionReasons(error: InvalidTransaction): SuiteReasons {
  if (error.code !== 'INVALID_BLOBS') return TRANSACTION_REASONS[error.code]
  return BLOB_REASONS.find(([start]) => error.reason.startsWith(start))?.[1] ?? []
}

/** The suite's names for bytes that are not a block or transaction; undefined: for any other error. */
export function decodingReasons(error: unknown): SuiteReasons | undefined {
  // To the suites, a header with missing members is not an RLP error.
  if (error instanceof RlpError) {
    return [
      'RLP_STRUCTURES_ENCODING',
      'RLP_WITHDRAWALS_NOT_READ',
      'INCORRECT_BLOCK_FORMAT',
      'TYPE_3_TX_CONTRACT_CREATION',
      'TYPE_4_TX_CONTRACT_CREATION',
    ]
  }
  if (!(error instanceof TransactionDecodeError)) return undefined
  const names = ['RLP_STRUCTURES_ENCODING', 'TYPE_3_TX_CONTRACT_CREATION', 'TYPE_4_TX_CONTRACT_CREATION']
  if (error.code === 'TYPE_NOT_SUPPORTED') return ['TYPE_NOT_SUPPORTED', ...names]
  return error.code === 'INVALID_SIGNATURE' ? ['INVALID_SIGNATURE_VRS', ...names] : names
}

/**
 * Whether the suite allows a reason for rejection.
 *
 * @param expected `BlockException.A|TransactionException.B`
 */
export function isExpected(expected: string, reasons: SuiteReasons): boolean {
  const names = expected.split('|').map((name) => name.slice(name.indexOf('.') + 1))
  return names.some((name) => reasons.includes(name))
}
