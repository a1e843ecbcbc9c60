import { includedTransaction } from '../../chain/block/block-codec.ts'
import {
  type AccessList,
  type Authorization,
  DEPOSIT_TYPE,
  type RecoveredTransaction,
  type Transaction,
} from '../../chain/transaction/transaction.ts'
import { createTransaction } from '../../chain/transaction/transaction-codec.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import type { TransactionFields } from '../../chain/transaction/transaction-payload.ts'
import { type Hash, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { ForkError } from '../source/fork-error.ts'
import { hashValue, invalid, listValue, type ReplyObject } from '../source/reply-fields.ts'
import { type ForeignData, NO_MEMBERS } from './foreign-data.ts'

const KNOWN_TYPES: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, DEPOSIT_TYPE])

/** Judgement of the transactions of a block. */
export interface TransactionTrust {
  readonly data: ForeignData
  /** Whether the header of the block gives its hash. */
  readonly isHeaderVerified: boolean
}

/**
 * A transaction of a block with its sender. One that only its own chain explains is taken as the upstream gave it.
 *
 * @throws ForkError FORK_DATA_UNKNOWN, FORK_DATA_INVALID
 */
export function readIncludedTransaction(
  reply: ReplyObject,
  { data, isHeaderVerified }: TransactionTrust,
): RecoveredTransaction {
  const others = data.transactionMembers(reply)
  try {
    const known = includedTransaction(readTransactionReply(reply))
    return others === undefined ? known : Object.assign(known, { foreign: others })
  } catch (error) {
    const isExplained = others !== undefined || !isHeaderVerified || !isKnownType(reply) || isUnsigned(reply)
    if (!isExplained || !(error instanceof ForkError || error instanceof TransactionDecodeError)) throw error
    const hash = reply.hash('hash')
    const type = reply.optionalNumber('type') ?? 0
    data.trust(
      'transactions',
      `the transaction ${hash} of type ${type} is known to its own chain only: --fork-verify known shows it`,
    )
    data.noteType(type)
    return foreignTransaction(reply, hash)
  }
}

function isKnownType(reply: ReplyObject): boolean {
  return KNOWN_TYPES.has(reply.optionalNumber('type') ?? 0)
}

/** Chains show internal transactions as legacy ones with a signature of zeros. */
function isUnsigned(reply: ReplyObject): boolean {
  return reply.optionalNumber('type') !== DEPOSIT_TYPE && isZero(reply.raw('r')) && isZero(reply.raw('s'))
}

function isZero(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && /^0x0*$/.test(value))
}

/** In the form of a deposit, without an encoding. */
function foreignTransaction(reply: ReplyObject, hash: Hash): RecoveredTransaction {
  const foreign = reply.without(NO_MEMBERS)
  return {
    type: DEPOSIT_TYPE,
    sourceHash: hash,
    from: reply.optionalAddress('from') ?? ZERO_ADDRESS,
    to: reply.optionalAddress('to') ?? null,
    mint: 0n,
    value: reply.optionalQuantity('value') ?? 0n,
    gasLimit: reply.optionalQuantity('gas') ?? 0n,
    isSystemTransaction: false,
    data: reply.has('input') ? reply.bytes('input') : new Uint8Array(0),
    hash,
    raw: new Uint8Array(0),
    ...(foreign && { foreign }),
  }
}

/**
 * A transaction in a reply, encoded again; its hash is that which the upstream names.
 *
 * @throws ForkError FORK_DATA_UNKNOWN for a type that this node does not know, FORK_DATA_INVALID
 */
export function readTransactionReply(reply: ReplyObject): Transaction {
  const hash = reply.hash('hash')
  const transaction = createTransaction(fieldsOf(reply, hash)) as Transaction
  if (transaction.hash !== hash) throw invalid(`the transaction ${hash}`, 'its members do not give its hash')
  return transaction
}

function fieldsOf(reply: ReplyObject, hash: string): TransactionFields {
  const type = reply.optionalNumber('type') ?? 0
  switch (type) {
    case 0:
      return legacyFields(reply)
    case 1:
      return {
        type,
        ...typedFields(reply),
        to: reply.optionalAddress('to') ?? null,
        gasPrice: reply.quantity('gasPrice'),
      }
    case 2:
      return { type, ...typedFields(reply), ...feeFields(reply), to: reply.optionalAddress('to') ?? null }
    case 3:
      return {
        type,
        ...typedFields(reply),
        ...feeFields(reply),
        to: reply.address('to'),
        maxFeePerBlobGas: reply.quantity('maxFeePerBlobGas'),
        blobVersionedHashes: reply.list('blobVersionedHashes').map((item) => hashValue(item, 'a blob hash')),
      }
    case 4:
      return {
        type,
        ...typedFields(reply),
        ...feeFields(reply),
        to: reply.address('to'),
        authorizationList: reply.objects('authorizationList').map(authorization),
      }
    case DEPOSIT_TYPE:
      return depositFields(reply)
    default:
      throw new ForkError(
        'FORK_DATA_UNKNOWN',
        `the transaction ${hash} has the type ${type}, which only its own chain knows: choose another block`,
      )
  }
}

function legacyFields(reply: ReplyObject): TransactionFields {
  const v = reply.quantity('v')
  // EIP-155; 27 and 28 are signatures without a chain.
  const chainId = v >= 35n ? (v - 35n) / 2n : undefined
  const yParity = (chainId === undefined ? v - 27n : (v - 35n) % 2n) === 1n ? 1 : 0
  return {
    type: 0,
    ...callFields(reply),
    chainId,
    to: reply.optionalAddress('to') ?? null,
    gasPrice: reply.quantity('gasPrice'),
    signature: { r: reply.quantity('r'), s: reply.quantity('s'), yParity },
  }
}

function typedFields(reply: ReplyObject) {
  return {
    ...callFields(reply),
    chainId: reply.quantity('chainId'),
    accessList: accessList(reply),
    signature: { r: reply.quantity('r'), s: reply.quantity('s'), yParity: parity(reply) === 1n ? 1 : 0 },
  } as const
}

function callFields(reply: ReplyObject) {
  return {
    nonce: reply.quantity('nonce'),
    gasLimit: reply.quantity('gas'),
    value: reply.quantity('value'),
    data: reply.bytes('input'),
  }
}

function feeFields(reply: ReplyObject) {
  return {
    maxFeePerGas: reply.quantity('maxFeePerGas'),
    maxPriorityFeePerGas: reply.quantity('maxPriorityFeePerGas'),
  }
}

/** Older nodes call it `v`. */
function parity(reply: ReplyObject): bigint {
  return reply.optionalQuantity('yParity') ?? reply.quantity('v')
}

function accessList(reply: ReplyObject): AccessList {
  return reply.objects('accessList').map((item) => ({
    address: item.address('address'),
    storageKeys: listValue(item.raw('storageKeys'), 'storageKeys').map((key) => hashValue(key, 'a storage key')),
  }))
}

function authorization(item: ReplyObject): Authorization {
  return {
    chainId: item.quantity('chainId'),
    address: item.address('address'),
    nonce: item.quantity('nonce'),
    yParity: Number(parity(item)),
    r: item.quantity('r'),
    s: item.quantity('s'),
  }
}

function depositFields(reply: ReplyObject): TransactionFields {
  return {
    type: DEPOSIT_TYPE,
    sourceHash: reply.hash('sourceHash'),
    from: reply.address('from'),
    to: reply.optionalAddress('to') ?? null,
    mint: reply.optionalQuantity('mint') ?? 0n,
    value: reply.quantity('value'),
    gasLimit: reply.quantity('gas'),
    isSystemTransaction: reply.raw('isSystemTx') === true,
    data: reply.bytes('input'),
  }
}
