import type { Header } from '../../chain/block/header.ts'
import { denimTimeOf, isDenimBlock } from '../../chain/forks/denim-schedule.ts'
import { blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import type { Hash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { blockHeight, blockReference, numericHeight } from '../codecs/block-reference.ts'
import { boolean } from '../codecs/boolean.ts'
import { hash } from '../codecs/bytes.ts'
import { count, quantity } from '../codecs/quantity.ts'
import type { ReadContext } from '../context/reading.ts'
import { formatHeader, formatUncleAt } from '../format/header.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { arrayOf, BLOCK_SCHEMA, HEADER_SCHEMA, orNull, RECEIPT_SCHEMA } from '../schemas/schemas.ts'

export const eth_blockNumber = defineMethod({
  name: 'eth_blockNumber',
  summary: 'Height of the newest sealed block.',
  params: [],
  result: quantity.schema,
  cost: 1,
  isSameInView: true,
  handle: (_, { view }) => toQuantity(view.head.sealed.latest),
})

export const eth_getBlockByHash = defineMethod({
  name: 'eth_getBlockByHash',
  summary: 'A block by hash, or by the partial hash of a recent flashblock: then as of that flashblock.',
  params: [requiredParam('blockHash', hash), requiredParam('fullTransactions', boolean)],
  result: orNull(BLOCK_SCHEMA),
  cost: 5,
  handle: ([hash, fullTransactions], { view, memoizedBlocks }) =>
    memoizedBlocks.block(view, { kind: 'hash', hash, requireCanonical: false }, fullTransactions),
})

export const eth_getBlockByNumber = defineMethod({
  name: 'eth_getBlockByNumber',
  summary: 'A block by height or tag; `pending` is the pre-confirmed block so far. Null for an unknown block.',
  params: [requiredParam('block', blockHeight), requiredParam('fullTransactions', boolean)],
  result: orNull(BLOCK_SCHEMA),
  cost: 5,
  handle: ([reference, fullTransactions], { view, memoizedBlocks }) =>
    memoizedBlocks.block(view, reference, fullTransactions),
})

export const eth_getBlockReceipts = defineMethod({
  name: 'eth_getBlockReceipts',
  summary: 'All receipts of a block, by height, tag, hash or partial hash.',
  params: [requiredParam('block', blockReference)],
  result: orNull(arrayOf(RECEIPT_SCHEMA)),
  cost: 10,
  handle: ([reference], { view, memoizedBlocks }) => memoizedBlocks.receipts(view, reference),
})

export const eth_getHeaderByHash = defineMethod({
  name: 'eth_getHeaderByHash',
  summary: 'The header of a block by hash, or by the partial hash of a recent flashblock.',
  params: [requiredParam('blockHash', hash)],
  result: orNull(HEADER_SCHEMA),
  cost: 1,
  handle([blockHash], context) {
    const header = context.view.header({ kind: 'hash', hash: blockHash, requireCanonical: false })
    return header === undefined ? null : formatTimedHeader(header, blockHash, context)
  },
})

export const eth_getHeaderByNumber = defineMethod({
  name: 'eth_getHeaderByNumber',
  summary: 'The header of a block by height or tag; `pending` is that of the pre-confirmed block so far.',
  params: [requiredParam('block', blockHeight)],
  result: orNull(HEADER_SCHEMA),
  cost: 1,
  handle([reference], context) {
    const header = context.view.header(reference)
    return header === undefined ? null : formatTimedHeader(header, context.view.blockHash(reference)!, context)
  },
})

export const eth_getBlockTransactionCountByHash = defineMethod({
  name: 'eth_getBlockTransactionCountByHash',
  summary: 'Number of transactions of a block, by hash or partial hash.',
  params: [requiredParam('blockHash', hash)],
  result: orNull(quantity.schema),
  cost: 1,
  handle([blockHash], { view }) {
    const found = view.block({ kind: 'hash', hash: blockHash, requireCanonical: false })
    return found === undefined ? null : toQuantity(found.block.transactions.length)
  },
})

export const eth_getBlockTransactionCountByNumber = defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'Number of transactions of a block; `pending`: so far.',
  params: [requiredParam('block', blockHeight)],
  result: orNull(quantity.schema),
  cost: 1,
  handle([reference], { view }) {
    const found = view.block(reference)
    return found === undefined ? null : toQuantity(found.block.transactions.length)
  },
})

export const eth_getBlockAccessList = defineMethod({
  name: 'eth_getBlockAccessList',
  summary: 'Always null: no supported fork has block access lists (EIP-7928).',
  params: [requiredParam('block', blockReference)],
  result: orNull(arrayOf({ type: 'object' })),
  cost: 1,
  handle: () => null,
})

export const eth_getUncleByBlockHashAndIndex = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'An uncle of a proof-of-work block; other blocks have none.',
  params: [requiredParam('blockHash', hash), requiredParam('index', count)],
  result: orNull(BLOCK_SCHEMA),
  cost: 2,
  handle: ([reference, index], { view }) =>
    formatUncleAt(view.block({ kind: 'hash', hash: reference, requireCanonical: false }), index),
})

export const eth_getUncleByBlockNumberAndIndex = defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary: 'An uncle of a proof-of-work block; other blocks have none.',
  params: [requiredParam('block', blockHeight), requiredParam('index', count)],
  result: orNull(BLOCK_SCHEMA),
  cost: 2,
  handle: ([reference, index], { view }) => formatUncleAt(view.block(reference), index),
})

export const eth_getUncleCountByBlockHash = defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'Number of uncles of a block: 0 unless it is a proof-of-work block.',
  params: [requiredParam('blockHash', hash)],
  result: orNull(quantity.schema),
  cost: 1,
  handle([reference], { view }) {
    const found = view.block({ kind: 'hash', hash: reference, requireCanonical: false })
    return found === undefined ? null : toQuantity(found.block.uncles.length)
  },
})

export const eth_getUncleCountByBlockNumber = defineMethod({
  name: 'eth_getUncleCountByBlockNumber',
  summary: 'Number of uncles of a block: 0 unless it is a proof-of-work block.',
  params: [requiredParam('block', blockHeight)],
  result: orNull(quantity.schema),
  cost: 1,
  handle([reference], { view }) {
    const found = view.block(reference)
    return found === undefined ? null : toQuantity(found.block.uncles.length)
  },
})

function formatTimedHeader(header: Header, hash: Hash, context: ReadContext): JsonRecord {
  return formatHeader(header, hash, headerMilliseconds(header, hash, context))
}

/** The time of block 0, which has no transactions, has no milliseconds. */
function headerMilliseconds({ number }: Header, hash: Hash, { config, view }: ReadContext): bigint | undefined {
  if (number === 0 || !isDenimBlock(number, config)) return undefined
  const scheduled = denimTimeOf(number, config)
  if (scheduled !== undefined) return scheduled.milliseconds
  const found = view.block({ kind: 'hash', hash, requireCanonical: false })
  return found && blockMilliseconds(found.block)
}

export const erigon_getHeaderByNumber = defineMethod({
  name: 'erigon_getHeaderByNumber',
  summary: 'A block with the hashes of its transactions, as Anvil returns it to Otterscan.',
  params: [requiredParam('block', numericHeight)],
  result: orNull(BLOCK_SCHEMA),
  cost: 5,
  handle: ([reference], { view, memoizedBlocks }) => memoizedBlocks.block(view, reference, false),
})
