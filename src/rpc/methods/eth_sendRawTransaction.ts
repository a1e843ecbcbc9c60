import { data, hash } from '../codecs/bytes.ts'
import { submitError } from '../errors.ts'
import { defineWritingMethod, required } from '../method.ts'

export const eth_sendRawTransaction = defineWritingMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Puts a signed transaction into the pool, for the next flashblock. Answers its hash.',
  params: [required('data', data)],
  result: hash.schema,
  cost: 10,
  example: {
    params: ['0x02f8…'],
    result: '0x549cfaca862ca59157260fbe13b7ecf5cc353eb22632d10efbe5cca743871ef3',
  },
  async handle([raw], { node, options }) {
    const result = await node.submit(raw)
    if (result.kind === 'refused') throw submitError(result.refusal, options.dialect)
    return result.transaction.hash
  },
})
