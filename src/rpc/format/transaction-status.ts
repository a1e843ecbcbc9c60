import type { DropReason } from '../../chain/transaction/drop-reason.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../json.ts'
import type { TransactionStatus, WaitReason } from '../queries/transaction-status.ts'

/** The result of `tickertape_transactionStatus`. */
export function formatTransactionStatus(status: TransactionStatus): JsonRecord {
  switch (status.kind) {
    case 'unknown':
      return { status: 'unknown' }
    case 'pooled':
      return { status: 'pooled', waitsFor: encodeWaiting(status.waiting) }
    case 'preconfirmed':
      return { status: 'preconfirmed', ...encodePosition(status), flashblockIndex: toQuantity(status.flashblock) }
    case 'sealed':
      return { status: 'sealed', ...encodePosition(status), finality: status.finality }
    case 'dropped':
      return { status: 'dropped', ...encodeDropReason(status.reason) }
  }
}

function encodePosition(position: Extract<TransactionStatus, { kind: 'preconfirmed' | 'sealed' }>): JsonRecord {
  return {
    blockNumber: toQuantity(position.blockNumber),
    blockHash: position.blockHash,
    transactionIndex: toQuantity(position.index),
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
