import { toQuantity } from '../../primitives/quantity.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { hash } from '../codecs/bytes.ts'
import { count, quantity } from '../codecs/quantity.ts'
import { formatUncleAt } from '../format/header.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { BLOCK_SCHEMA, orNull } from '../registry/schemas.ts'

export const eth_getUncleByBlockHashAndIndex = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'An uncle of a proof-of-work block; other blocks have none.',
  params: [requiredParam('blockHash', hash), requiredParam('index', count)],
  result: orNull(BLOCK_SCHEMA),
  cost: 2,
  example: { params: [`0x${'00'.repeat(32)}`, '0x0'], result: null },
  handle: ([reference, index], { view }) =>
    formatUncleAt(view.block({ kind: 'hash', hash: reference, requireCanonical: false }), index),
})

export const eth_getUncleByBlockNumberAndIndex = defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary: 'An uncle of a proof-of-work block; other blocks have none.',
  params: [requiredParam('block', blockHeight), requiredParam('index', count)],
  result: orNull(BLOCK_SCHEMA),
  cost: 2,
  example: { params: ['latest', '0x0'], result: null },
  handle: ([reference, index], { view }) => formatUncleAt(view.block(reference), index),
})

export const eth_getUncleCountByBlockHash = defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'Number of uncles of a block: 0 unless it is a proof-of-work block.',
  params: [requiredParam('blockHash', hash)],
  result: orNull(quantity.schema),
  cost: 1,
  example: { params: [`0x${'00'.repeat(32)}`], result: null },
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
  example: { params: ['latest'], result: '0x0' },
  handle([reference], { view }) {
    const found = view.block(reference)
    return found === undefined ? null : toQuantity(found.block.uncles.length)
  },
})
