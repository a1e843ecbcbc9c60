import type { Block } from '../../chain/block/block.ts'
import { blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import {
  type AccessList,
  type Authorization,
  DEPOSIT_TYPE,
  type DepositTransaction,
  effectiveGasPrice,
  maxFeePerGas,
  type PoolTransaction,
  type RecoveredTransaction,
} from '../../chain/transaction/transaction.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { withForeign } from './foreign-members.ts'

/** Receipt data that the transaction object of a deposit shows. */
export interface DepositReceiptData {
  readonly nonce: bigint
  readonly version: bigint
}

/**
 * A transaction object, in the open block with the partial hash.
 *
 * @param deposit of the receipt of a deposit
 */
export function formatIncludedTransaction(
  transaction: RecoveredTransaction,
  block: Pick<Block, 'header' | 'hash' | 'transactions'>,
  index: number,
  deposit?: DepositReceiptData,
): JsonRecord {
  const { header, hash } = block
  const price = effectiveGasPrice(transaction, header.baseFeePerGas ?? 0n)
  const milliseconds = blockMilliseconds(block)
  const record = {
    blockHash: hash,
    blockNumber: toQuantity(header.number),
    blockTimestamp: toQuantity(header.timestamp),
    blockTimestampMs: milliseconds === undefined ? undefined : toQuantity(milliseconds),
    transactionIndex: toQuantity(index),
    ...(transaction.type === DEPOSIT_TYPE
      ? encodeDeposit(transaction, deposit)
      : { ...encodeSigned(transaction), gasPrice: toQuantity(price) }),
  }
  return withForeign(record, transaction.foreign)
}

/** The members of a transaction object that say where it is included. */
export const NO_POSITION = { blockHash: null, blockNumber: null, blockTimestamp: null, transactionIndex: null }

/** The transaction object of a pooled transaction: without position, and with the highest price it would pay. */
export function formatPooledTransaction(transaction: PoolTransaction): JsonRecord {
  return {
    ...NO_POSITION,
    ...encodeSigned(transaction),
    gasPrice: toQuantity(maxFeePerGas(transaction)),
  }
}

function encodeSigned(transaction: PoolTransaction): JsonRecord {
  const { r, s, yParity } = transaction.signature
  return {
    type: toQuantity(transaction.type),
    hash: transaction.hash,
    from: transaction.from,
    to: transaction.to,
    nonce: toQuantity(transaction.nonce),
    gas: toQuantity(transaction.gasLimit),
    value: toQuantity(transaction.value),
    input: bytesToHex(transaction.data),
    ...encodeTypeMembers(transaction),
    v: toQuantity(transaction.type === 0 ? legacyV(transaction) : yParity),
    r: toQuantity(r),
    s: toQuantity(s),
    yParity: transaction.type === 0 ? undefined : toQuantity(yParity),
  }
}

function encodeTypeMembers(transaction: PoolTransaction): JsonRecord {
  const chainId = transaction.chainId === undefined ? undefined : toQuantity(transaction.chainId)
  if (transaction.type === 0) return { chainId }
  const accessList = encodeAccessList(transaction.accessList)
  if (transaction.type === 1) return { chainId, accessList }
  const fees = {
    chainId,
    accessList,
    maxFeePerGas: toQuantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(transaction.maxPriorityFeePerGas),
  }
  switch (transaction.type) {
    case 2:
      return fees
    case 3:
      return {
        ...fees,
        maxFeePerBlobGas: toQuantity(transaction.maxFeePerBlobGas),
        blobVersionedHashes: transaction.blobVersionedHashes,
      }
    case 4:
      return { ...fees, authorizationList: transaction.authorizationList.map(encodeAuthorization) }
  }
}

function encodeDeposit(transaction: DepositTransaction, position: DepositReceiptData | undefined): JsonRecord {
  return {
    type: toQuantity(transaction.type),
    hash: transaction.hash,
    sourceHash: transaction.sourceHash,
    from: transaction.from,
    to: transaction.to,
    mint: toQuantity(transaction.mint),
    nonce: toQuantity(position?.nonce ?? 0n),
    gas: toQuantity(transaction.gasLimit),
    value: toQuantity(transaction.value),
    input: bytesToHex(transaction.data),
    isSystemTx: transaction.isSystemTransaction ? true : undefined,
    depositReceiptVersion: position && toQuantity(position.version),
    gasPrice: '0x0',
    v: '0x0',
    r: '0x0',
    s: '0x0',
    yParity: '0x0',
  }
}

function encodeAccessList(list: AccessList): JsonRecord[] {
  return list.map(({ address, storageKeys }) => ({ address, storageKeys }))
}

function encodeAuthorization(authorization: Authorization): JsonRecord {
  return {
    chainId: toQuantity(authorization.chainId),
    address: authorization.address,
    nonce: toQuantity(authorization.nonce),
    yParity: toQuantity(authorization.yParity),
    r: toQuantity(authorization.r),
    s: toQuantity(authorization.s),
  }
}

/** EIP-155 encodes the chain id in `v`. Simulated transactions are unsigned: the signature is zero. */
function legacyV({ chainId, signature: { r, yParity } }: Extract<PoolTransaction, { type: 0 }>): bigint {
  if (r === 0n) return 0n
  return chainId === undefined ? 27n + BigInt(yParity) : 35n + 2n * chainId + BigInt(yParity)
}
