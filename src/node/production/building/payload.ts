import type { Block } from '../../../chain/block/block.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import { decodeSentTransaction } from '../../../chain/transaction/blob-sidecar.ts'
import type { InvalidTransaction } from '../../../chain/transaction/refusal.ts'
import type { RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import { recoverTransaction } from '../../../chain/transaction/transaction-codec.ts'
import { TransactionDecodeError } from '../../../chain/transaction/transaction-decode-error.ts'
import { type BlockChoices, BlockTooOldError, nextAttributes } from '../../../engine/block/block-attributes.ts'
import { BlockBuilder } from '../../../engine/block/build-block.ts'
import type { RequestsFault } from '../../../engine/block/requests.ts'
import type { Engine } from '../../../engine/types.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'
import type { View } from '../../view/view.ts'
import { fillFromPool, roomOf } from './pool-filling.ts'

/** A block that could follow `parent`, with its data for the consensus layer. */
export interface Payload {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** As submitted, including blob sidecars. */
  readonly transactions: readonly RecoveredTransaction[]
  /** EIP-7685, each prefixed by its type. */
  readonly requests: readonly Bytes[]
}

export type PayloadRefusal =
  | { readonly code: 'UNKNOWN_PARENT' }
  /** Layer-2 blocks are built by the sequencer only. */
  | { readonly code: 'LAYER_2' }
  | { readonly code: 'TIMESTAMP_ORDER'; readonly parent: bigint; readonly given: bigint }
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

export type PayloadResult =
  | { readonly kind: 'built'; readonly payload: Payload }
  | { readonly kind: 'refused'; readonly refusal: PayloadRefusal }

export interface PayloadRequest {
  readonly parent: Hash
  readonly choices: BlockChoices
  /** Exactly these transactions, in this order; `undefined`: the best of the pool. */
  readonly transactions: readonly Bytes[] | undefined
}

export interface PayloadDeps {
  readonly view: View
  readonly config: ChainConfig
  readonly engine: Engine
  /** Awaited between pool transactions; `false`: no further one is added. */
  readonly mayContinue: () => boolean | Promise<boolean>
}

const MAX_EXTRA_DATA_BYTES = 32

/** Builds a layer-1 block for tests, without changing chain or pool. */
export async function buildPayload(request: PayloadRequest, deps: PayloadDeps): Promise<PayloadResult> {
  const { view, config, engine } = deps
  const parent = view.block({ kind: 'hash', hash: request.parent, requireCanonical: false })
  const state = parent && view.stateOf(parent)
  const trie = parent && view.trieOf(parent)
  if (parent === undefined || state === undefined || trie === undefined) return refused({ code: 'UNKNOWN_PARENT' })
  if (config.layer2 !== undefined) return refused({ code: 'LAYER_2' })
  const { choices } = request
  const { timestamp } = parent.block.header
  if (choices.timestamp <= timestamp) {
    return refused({ code: 'TIMESTAMP_ORDER', parent: timestamp, given: choices.timestamp })
  }
  const size = choices.extraData.length
  if (size > MAX_EXTRA_DATA_BYTES) return refused({ code: 'EXTRA_DATA_TOO_LONG', size })
  const given = request.transactions && decodeAll(request.transactions)
  if (given !== undefined && 'code' in given) return refused(given)
  try {
    const attributes = nextAttributes(parent.block, choices, config)
    const builder = await BlockBuilder.open(attributes, { engine, state, trie })
    try {
      const filled =
        given === undefined
          ? { included: await fillFromPool(builder, { ...deps, state }) }
          : await addAll(builder, given.transactions)
      return 'code' in filled ? refused(filled) : await finish(builder, filled.included)
    } finally {
      builder.close()
    }
  } catch (error) {
    if (error instanceof BlockTooOldError) return refused({ code: 'BLOCK_TOO_OLD', message: error.message })
    throw error
  }
}

interface Filled {
  readonly included: readonly RecoveredTransaction[]
}

async function finish(builder: BlockBuilder, transactions: readonly RecoveredTransaction[]): Promise<PayloadResult> {
  const fault = await builder.complete()
  if (fault !== undefined) return refused({ code: 'INVALID_BLOCK', fault })
  const { block, receipts } = builder.flashblock()
  return { kind: 'built', payload: { block, receipts, transactions, requests: builder.requests } }
}

async function addAll(
  builder: BlockBuilder,
  transactions: readonly RecoveredTransaction[],
): Promise<Filled | PayloadRefusal> {
  for (const [index, transaction] of transactions.entries()) {
    const outcome = await builder.add(transaction, roomOf(builder))
    if (outcome.kind === 'included') continue
    return { code: 'INVALID_TRANSACTION', index, hash: transaction.hash, error: outcome.error }
  }
  return { included: transactions }
}

function decodeAll(
  all: readonly Bytes[],
): { readonly transactions: readonly RecoveredTransaction[] } | Extract<PayloadRefusal, { code: 'UNDECODABLE' }> {
  const transactions: RecoveredTransaction[] = []
  for (const [index, raw] of all.entries()) {
    try {
      transactions.push(recoverTransaction(decodeSentTransaction(raw)))
    } catch (error) {
      if (!(error instanceof TransactionDecodeError)) throw error
      return { code: 'UNDECODABLE', index, reason: error.message }
    }
  }
  return { transactions }
}

function refused(refusal: PayloadRefusal): PayloadResult {
  return { kind: 'refused', refusal }
}
