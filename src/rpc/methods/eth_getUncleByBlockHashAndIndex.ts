import { hash } from '../codecs/bytes.ts'
import { count } from '../codecs/quantity.ts'
import { encodeUncleAt } from '../encode/uncle.ts'
import { defineMethod, required } from '../method.ts'
import { BLOCK_SCHEMA, orNull } from '../schemas.ts'

export const eth_getUncleByBlockHashAndIndex = defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'An uncle of a proof-of-work block; blocks since have none.',
  params: [required('blockHash', hash), required('index', count)],
  result: orNull(BLOCK_SCHEMA),
  cost: 2,
  example: { params: [`0x${'00'.repeat(32)}`, '0x0'], result: null },
  handle: ([reference, index], { view }) =>
    encodeUncleAt(view.block({ kind: 'hash', hash: reference, requireCanonical: false }), index),
})
