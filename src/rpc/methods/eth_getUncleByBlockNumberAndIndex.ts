import { blockHeight } from '../codecs/block-reference.ts'
import { count } from '../codecs/quantity.ts'
import { encodeUncleAt } from '../encode/uncle.ts'
import { defineMethod, required } from '../method.ts'
import { BLOCK_SCHEMA, orNull } from '../schemas.ts'

export const eth_getUncleByBlockNumberAndIndex = defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary: 'An uncle of a proof-of-work block; blocks since have none.',
  params: [required('block', blockHeight), required('index', count)],
  result: orNull(BLOCK_SCHEMA),
  cost: 2,
  example: { params: ['latest', '0x0'], result: null },
  handle: ([reference, index], { view }) => encodeUncleAt(view.block(reference), index),
})
