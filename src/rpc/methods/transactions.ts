import { encodeSentTransaction } from '../../chain/transaction/blob-sidecar.ts'
import { tipAt } from '../../pool/candidates.ts'
import { bytesToHex, type Hash } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { address, data, hash } from '../codecs/bytes.ts'
import { count, flexibleQuantity64 } from '../codecs/quantity.ts'
import type { ReadContext } from '../context/reading.ts'
import { formatPooledTransaction } from '../format/transaction.ts'
import type { EncodedJson } from '../protocol/encoded-json.ts'
import { transactionOf } from '../queries/account-history.ts'
import { awaitInclusion, shownReceipt } from '../queries/inclusion.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { orNull, RECEIPT_SCHEMA, TRANSACTION_SCHEMA } from '../schemas/schemas.ts'

export const eth_getTransactionByHash = defineMethod({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction: sealed, pre-confirmed, or pooled without a position.',
  params: [requiredParam('transactionHash', hash)],
  result: orNull(TRANSACTION_SCHEMA),
  cost: 2,
  handle([transactionHash], { view, memoizedBlocks }) {
    const found = view.transaction(transactionHash)
    if (found === undefined) return null
    return found.kind === 'pooled'
      ? formatPooledTransaction(found.transaction)
      : memoizedBlocks.transaction(found.block, found.index)
  },
})

export const eth_getTransactionBySenderAndNonce = defineMethod({
  name: 'eth_getTransactionBySenderAndNonce',
  summary: 'The transaction of a sender with a nonce: sealed, pre-confirmed, or pooled.',
  params: [requiredParam('sender', address), requiredParam('nonce', flexibleQuantity64)],
  result: orNull(TRANSACTION_SCHEMA),
  cost: 20,
  handle([sender, nonce], context) {
    const { view, memoizedBlocks } = context
    const found = transactionOf(sender, nonce, context)
    if (found !== undefined) return memoizedBlocks.transaction(found.block, found.index)
    const pooled = view.pool.bySender(sender).find(({ transaction }) => transaction.nonce === nonce)
    return pooled === undefined ? null : formatPooledTransaction(pooled.transaction)
  },
})

export const eth_getTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'The transaction at a position of a block, by hash or partial hash.',
  params: [requiredParam('blockHash', hash), requiredParam('index', count)],
  result: orNull(TRANSACTION_SCHEMA),
  cost: 2,
  handle: ([hash, index], { view, memoizedBlocks }) =>
    memoizedBlocks.transaction(view.block({ kind: 'hash', hash, requireCanonical: false }), index),
})

export const eth_getTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'The transaction at a position of a block.',
  params: [requiredParam('block', blockHeight), requiredParam('index', count)],
  result: orNull(TRANSACTION_SCHEMA),
  cost: 2,
  handle: ([reference, index], { view, memoizedBlocks }) => memoizedBlocks.transaction(view.block(reference), index),
})

export const eth_getTransactionReceipt = defineMethod({
  name: 'eth_getTransactionReceipt',
  summary:
    'The receipt of a sealed or pre-confirmed transaction; of a pending one from the next flashblock (--receipt-wait).',
  params: [requiredParam('transactionHash', hash)],
  result: orNull(RECEIPT_SCHEMA),
  cost: 2,
  handle: ([transactionHash], context) =>
    context.memoizedBlocks.receiptOf(context.view, transactionHash) ?? receiptOfPending(transactionHash, context),
})

/**
 * The receipt of a transaction that the next flashblock can take, from that flashblock, so that clients which look once
 * after they have sent do not look again only when the block is sealed; null if the request must not wait or the
 * flashblock does not come in time.
 */
function receiptOfPending(hash: Hash, context: ReadContext): MaybePromise<EncodedJson | null> {
  const { view, flashblockWait: wait, memoizedBlocks } = context
  const transaction = view.pool.get(hash)?.transaction
  if (transaction === undefined || wait === undefined || !wait.waits.hasRoom) return null
  if (tipAt(transaction, view.head.pending.block.header.baseFeePerGas ?? 0n) < 0n) return null
  return wait.waits.run(async () => {
    const outcome = await awaitInclusion(transaction, wait.timeoutMs, wait)
    return outcome.kind === 'included' ? shownReceipt(outcome.found, { node: wait.node, memoizedBlocks }) : null
  })
}

export const eth_getRawTransactionByHash = defineMethod({
  name: 'eth_getRawTransactionByHash',
  summary: 'The encoded transaction (EIP-2718), with its blobs while it is pooled; empty when unknown.',
  params: [requiredParam('transactionHash', hash)],
  result: data.schema,
  cost: 2,
  handle([transactionHash], { view }) {
    const found = view.transaction(transactionHash)
    if (found === undefined) return '0x'
    return bytesToHex(found.kind === 'pooled' ? encodeSentTransaction(found.transaction) : found.transaction.raw)
  },
})

export const eth_getRawTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  summary: 'The encoded transaction at a position of a block; empty when unknown.',
  params: [requiredParam('blockHash', hash), requiredParam('index', count)],
  result: data.schema,
  cost: 2,
  handle([reference, index], { view }) {
    const transaction = view.block({ kind: 'hash', hash: reference, requireCanonical: false })?.block.transactions[
      index
    ]
    return transaction === undefined ? '0x' : bytesToHex(transaction.raw)
  },
})

export const eth_getRawTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  summary: 'The encoded transaction at a position of a block; empty when unknown.',
  params: [requiredParam('block', blockHeight), requiredParam('index', count)],
  result: data.schema,
  cost: 2,
  handle([reference, index], { view }) {
    const transaction = view.block(reference)?.block.transactions[index]
    return transaction === undefined ? '0x' : bytesToHex(transaction.raw)
  },
})
