import type { Block } from '../../chain/block/block.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { decodeSentTransaction } from '../../chain/transaction/blob-sidecar.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import { DEPOSIT_TYPE, type RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { recoverTransaction } from '../../chain/transaction/transaction-codec.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import {
  type BlockAttributes,
  type BlockChoices,
  BlockTooOldError,
  nextAttributes,
} from '../../engine/block/block-attributes.ts'
import type { RequestsFault } from '../../engine/block/requests.ts'
import type { ForkError } from '../../fork/source/fork-error.ts'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import { MAX_TIMESTAMP } from './timestamp-refusal.ts'

/** A layer-1 block that a client chooses (the `testing` namespace of execution-apis). */
export interface PayloadChoices {
  readonly choices: BlockChoices
  /** Exactly these transactions, in this order; `undefined`: the best of the pool. */
  readonly transactions: readonly Bytes[] | undefined
}

/** Why there is no such block. */
export type PayloadRefusal =
  | { readonly code: 'UNKNOWN_PARENT' }
  /** Layer-2 blocks are built by the sequencer only. */
  | { readonly code: 'LAYER_2' }
  | { readonly code: 'TIMESTAMP_ORDER'; readonly parent: bigint; readonly given: bigint }
  | { readonly code: 'TIMESTAMP_TOO_HIGH'; readonly given: bigint; readonly limit: bigint }
  | { readonly code: 'EXTRA_DATA_TOO_LONG'; readonly size: number }
  | { readonly code: 'BLOCK_TOO_OLD'; readonly message: string }
  | { readonly code: 'INVALID_BLOCK'; readonly fault: RequestsFault }
  | { readonly code: 'UNDECODABLE'; readonly index: number; readonly reason: string }
  | {
      readonly code: 'INVALID_TRANSACTION'
      readonly index: number
      readonly hash: Hash
      readonly error: InvalidTransaction
    }
  /** On a fork: why the state of a transaction cannot be loaded. */
  | { readonly code: 'STATE_NOT_LOADED'; readonly error: ForkError }

const MAX_EXTRA_DATA_BYTES = 32

export type CommitResult =
  | { readonly kind: 'committed'; readonly hash: Hash }
  | { readonly kind: 'refused'; readonly refusal: PayloadRefusal }

/** A payload that may be built. */
export interface PayloadPlan {
  readonly attributes: BlockAttributes
  /** `undefined`: the best of the pool. */
  readonly transactions: readonly RecoveredTransaction[] | undefined
}

/** The attributes of a payload on a parent and its decoded transactions, or why there can be no such payload. */
export function planPayload(
  parent: Pick<Block, 'header' | 'hash'>,
  request: PayloadChoices,
  config: ChainConfig,
): PayloadPlan | PayloadRefusal {
  if (config.layer2 !== undefined) return { code: 'LAYER_2' }
  const { choices } = request
  const { timestamp: given, extraData } = choices
  const { timestamp } = parent.header
  if (given <= timestamp) return { code: 'TIMESTAMP_ORDER', parent: timestamp, given }
  if (given > MAX_TIMESTAMP) return { code: 'TIMESTAMP_TOO_HIGH', given, limit: MAX_TIMESTAMP }
  const size = extraData.length
  if (size > MAX_EXTRA_DATA_BYTES) return { code: 'EXTRA_DATA_TOO_LONG', size }
  const decoded = request.transactions && decodeAll(request.transactions)
  if (decoded !== undefined && 'code' in decoded) return decoded
  try {
    return { attributes: nextAttributes(parent, choices, config), transactions: decoded?.transactions }
  } catch (error) {
    if (error instanceof BlockTooOldError) return { code: 'BLOCK_TOO_OLD', message: error.message }
    throw error
  }
}

function decodeAll(
  all: readonly Bytes[],
): { readonly transactions: readonly RecoveredTransaction[] } | Extract<PayloadRefusal, { code: 'UNDECODABLE' }> {
  const transactions: RecoveredTransaction[] = []
  for (const [index, raw] of all.entries()) {
    try {
      const transaction = decodeSentTransaction(raw)
      if (transaction.type === DEPOSIT_TYPE) return { code: 'UNDECODABLE', index, reason: 'a deposit is not signed' }
      transactions.push(recoverTransaction(transaction))
    } catch (error) {
      if (!(error instanceof TransactionDecodeError)) throw error
      return { code: 'UNDECODABLE', index, reason: error.message }
    }
  }
  return { transactions }
}
