import { address } from '../codecs/bytes.ts'
import { encodePooledTransaction } from '../encode/transaction.ts'
import { EXAMPLE_POOLED } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { halvesOf, PoolAnswer } from '../pool-content.ts'
import { POOLED_BY_NONCE_SCHEMA } from '../schemas.ts'

export const txpool_contentFrom = defineMethod({
  name: 'txpool_contentFrom',
  summary: "One sender's transactions that wait, by nonce.",
  params: [required('sender', address)],
  result: {
    type: 'object',
    properties: { pending: POOLED_BY_NONCE_SCHEMA, queued: POOLED_BY_NONCE_SCHEMA },
    required: ['pending', 'queued'],
  },
  cost: 10,
  example: { params: [EXAMPLE_POOLED.from], result: { pending: {}, queued: { 5: EXAMPLE_POOLED } } },
  handle([sender], context) {
    const { pending, queued } = halvesOf(sender, context)
    const answer = new PoolAnswer({ maxBytes: context.options.maxPoolBytes }, { encode: encodePooledTransaction })
    return { pending: answer.byNonce(pending), queued: answer.byNonce(queued) }
  },
})
