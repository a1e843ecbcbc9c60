import { text } from '../codecs/text.ts'
import { defineMethod } from '../method.ts'
import { arrayOf } from '../schemas.ts'

export const op_supportedCapabilities = defineMethod({
  name: 'op_supportedCapabilities',
  summary: 'What the node can do besides the usual (OP specification, flashblocks): pre-confirmations.',
  params: [],
  result: arrayOf(text.schema),
  cost: 1,
  example: { params: [], result: ['flashblocksv1'] },
  handle: () => ['flashblocksv1'],
})
