import { hash } from '../codecs/bytes.ts'
import { EXAMPLE_TRANSACTION_HASH } from '../examples.ts'
import { defineMethod, required } from '../method.ts'

export const base_transactionStatus = defineMethod({
  name: 'base_transactionStatus',
  summary: 'Whether a submitted transaction reached the pool: Known while it waits there, and once it is in a block.',
  params: [required('transactionHash', hash)],
  result: {
    type: 'object',
    properties: { status: { type: 'string', enum: ['Known', 'Unknown'] } },
    required: ['status'],
  },
  cost: 1,
  example: { params: [EXAMPLE_TRANSACTION_HASH], result: { status: 'Known' } },
  // Base asks its pool only, so that a transaction becomes Unknown by being included (spec-facts 5.7). The contract
  // asks whether it reached the pool, and one that is in a block did.
  handle: ([transactionHash], { view }) => ({
    status: view.transaction(transactionHash) === undefined ? 'Unknown' : 'Known',
  }),
})
