import { blockReference } from '../codecs/block-reference.ts'
import { defineMethod, required } from '../method.ts'
import { arrayOf, orNull } from '../schemas.ts'

export const eth_getBlockAccessList = defineMethod({
  name: 'eth_getBlockAccessList',
  summary: 'Always null: no fork that is known here has block access lists (EIP-7928).',
  params: [required('block', blockReference)],
  result: orNull(arrayOf({ type: 'object' })),
  cost: 1,
  example: { params: ['latest'], result: null },
  handle: () => null,
})
