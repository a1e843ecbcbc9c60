import { data, hash } from '../codecs/bytes.ts'
import { submitError } from '../errors.ts'
import { EXAMPLE_RAW_TRANSACTION, EXAMPLE_SENT_HASH } from '../examples.ts'
import { defineWritingMethod, required } from '../method.ts'

export const eth_sendRawTransaction = defineWritingMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Puts a signed transaction into the pool, for the next flashblock. Answers its hash.',
  params: [required('data', data)],
  result: hash.schema,
  cost: 10,
  runsTogether: true,
  example: { params: [EXAMPLE_RAW_TRANSACTION], result: EXAMPLE_SENT_HASH },
  async handle([raw], { node, options }) {
    const result = await node.submit(raw)
    if (result.kind === 'refused') throw submitError(result.refusal, options.dialect)
    return result.transaction.hash
  },
})
