import type { DropReason } from '../../chain/transaction/drop-reason.ts'
import type { Hash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'

/** Why a pooled transaction is not in a block yet. */
export type WaitReason =
  /** It is executable and waits for the next flashblock. */
  | { readonly reason: 'flashblock' }
  | { readonly reason: 'nonceGap'; readonly expectedNonce: bigint }
  | { readonly reason: 'baseFee'; readonly maxFeePerGas: bigint; readonly baseFeePerGas: bigint }
  /** Wei; `cost` is the highest cost of it and the sender's earlier ones. */
  | { readonly reason: 'balance'; readonly balance: bigint; readonly cost: bigint }
  /** `room`: gas left in the next flashblock. */
  | { readonly reason: 'gasRoom'; readonly gasLimit: bigint; readonly room: bigint }
  /** `index`: position of the first of its predicates that does not hold (`base_sendRawTransactionValidity`). */
  | { readonly reason: 'predicates'; readonly index: number }
  /** Gas of its DA footprint, and what the open block has left for it (OP-stack specs: Jovian). */
  | { readonly reason: 'dataFootprint'; readonly footprint: bigint; readonly room: bigint }
  /** An earlier transaction of its sender is not executable. */
  | { readonly reason: 'predecessor'; readonly hash: Hash }

interface IncludedPosition {
  readonly blockNumber: number
  /** Of the sealed block, or of the open block so far. */
  readonly blockHash: Hash
  /** Position in the block. */
  readonly index: number
  /** Index of the flashblock that includes it; `undefined`: no longer known. */
  readonly flashblock: number | undefined
  /** Unix milliseconds at which this node showed that flashblock; `undefined`: not known. */
  readonly preconfirmedAt: number | undefined
}

/** Status of a transaction. */
export type TransactionStatus =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'pooled'; readonly waiting: WaitReason }
  | ({ readonly kind: 'preconfirmed' } & IncludedPosition)
  | ({ readonly kind: 'sealed' } & IncludedPosition & {
        /** As `preconfirmedAt`, for the sealed block. */
        readonly sealedAt: number | undefined
        readonly finality: 'latest' | 'safe' | 'finalized'
      })
  | { readonly kind: 'dropped'; readonly reason: DropReason }

/** The result of `tickertape_transactionStatus`. */
export function formatTransactionStatus(status: TransactionStatus): JsonRecord {
  switch (status.kind) {
    case 'unknown':
      return { status: 'unknown' }
    case 'pooled':
      return { status: 'pooled', waitsFor: encodeWaiting(status.waiting) }
    case 'preconfirmed':
      return { status: 'preconfirmed', ...encodePosition(status) }
    case 'sealed': {
      const { sealedAt, finality } = status
      return {
        status: 'sealed',
        ...encodePosition(status),
        ...(sealedAt !== undefined && { sealedAt: toQuantity(sealedAt) }),
        finality,
      }
    }
    case 'dropped':
      return { status: 'dropped', ...encodeDropReason(status.reason) }
  }
}

function encodePosition({ blockNumber, blockHash, index, flashblock, preconfirmedAt }: IncludedPosition): JsonRecord {
  return {
    blockNumber: toQuantity(blockNumber),
    blockHash,
    transactionIndex: toQuantity(index),
    ...(flashblock !== undefined && { flashblockIndex: toQuantity(flashblock) }),
    ...(preconfirmedAt !== undefined && { preconfirmedAt: toQuantity(preconfirmedAt) }),
  }
}

function encodeWaiting(waiting: WaitReason): JsonRecord {
  const { reason } = waiting
  switch (reason) {
    case 'flashblock':
      return { reason }
    case 'nonceGap':
      return { reason, expectedNonce: toQuantity(waiting.expectedNonce) }
    case 'baseFee': {
      const { maxFeePerGas, baseFeePerGas } = waiting
      return { reason, maxFeePerGas: toQuantity(maxFeePerGas), baseFeePerGas: toQuantity(baseFeePerGas) }
    }
    case 'balance':
      return { reason, balance: toQuantity(waiting.balance), cost: toQuantity(waiting.cost) }
    case 'gasRoom':
      return { reason, gas: toQuantity(waiting.gasLimit), room: toQuantity(waiting.room) }
    case 'predicates':
      return { reason, predicateIndex: toQuantity(waiting.index) }
    case 'dataFootprint':
      return { reason, dataFootprint: toQuantity(waiting.footprint), room: toQuantity(waiting.room) }
    case 'predecessor':
      return { reason, transactionHash: waiting.hash }
  }
}

function encodeDropReason(reason: DropReason): JsonRecord {
  switch (reason.code) {
    case 'REPLACED':
      return { reason: 'replaced', replacedBy: reason.by }
    case 'NONCE_USED':
      return { reason: 'nonceUsed' }
    case 'INSUFFICIENT_FUNDS':
      return { reason: 'insufficientFunds' }
    case 'EVICTED':
      return { reason: 'evicted' }
    case 'EXPIRED':
      return { reason: 'expired' }
    case 'REMOVED':
      return { reason: 'removed' }
    case 'INVALID':
      return { reason: 'invalid', details: reason.reason }
    case 'REORGANISED':
      return {
        reason: 'reorganised',
        blockNumber: toQuantity(reason.blockNumber),
        blockHash: reason.blockHash,
      }
  }
}
