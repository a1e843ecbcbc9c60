import { numericHeight } from '../../codecs/block-reference.ts'
import { defineMethod, requiredParam } from '../../registry/method.ts'
import { BLOCK_SCHEMA, orNull } from '../../schemas/schemas.ts'

export const erigon_getHeaderByNumber = defineMethod({
  name: 'erigon_getHeaderByNumber',
  summary: 'A block with the hashes of its transactions, as Anvil returns it to Otterscan.',
  params: [requiredParam('block', numericHeight)],
  result: orNull(BLOCK_SCHEMA),
  cost: 5,
  handle: ([reference], { view, memoizedBlocks }) => memoizedBlocks.block(view, reference, false),
})
