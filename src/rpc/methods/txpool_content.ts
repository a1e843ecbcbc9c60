import { checksumAddress } from '../../primitives/checksum-address.ts'
import { encodePooledTransaction } from '../encode/transaction.ts'
import { EXAMPLE_POOLED } from '../examples.ts'
import { defineMethod } from '../method.ts'
import { poolContent } from '../pool-content.ts'
import { POOL_CONTENT_SCHEMA } from '../schemas.ts'

export const txpool_content = defineMethod({
  name: 'txpool_content',
  summary: 'All transactions that wait, by sender and nonce; refused when they are too many for one answer.',
  params: [],
  result: POOL_CONTENT_SCHEMA,
  cost: 100,
  example: {
    params: [],
    result: { pending: {}, queued: { '0x70997970C51812dc3A010C7d01b50e0d17dc79C8': { 5: EXAMPLE_POOLED } } },
  },
  async handle(_, context) {
    return { ...(await poolContent(context, { encode: encodePooledTransaction, writeSender: checksumAddress })) }
  },
})
