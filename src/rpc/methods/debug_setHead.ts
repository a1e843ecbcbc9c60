import { count } from '../codecs/quantity.ts'
import { setHeadError } from '../errors.ts'
import { defineWritingMethod, required } from '../method.ts'

export const debug_setHead = defineWritingMethod({
  name: 'debug_setHead',
  summary: 'Takes back every block above a sealed one. Logs are announced again as removed; later blocks replace them.',
  params: [required('number', count)],
  result: { type: 'null' },
  cost: 500,
  example: { params: ['0x1'], result: null },
  async handle([number], { node }) {
    const result = await node.setHead(number)
    if (result.kind === 'refused') throw setHeadError(result.refusal)
    return null
  },
})
