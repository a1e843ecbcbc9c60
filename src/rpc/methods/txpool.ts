import { maxFeePerGas, type PoolTransaction } from '../../chain/transaction/transaction.ts'
import { checksumAddress } from '../../primitives/checksum-address.ts'
import type { Address } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { address } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { formatPooledTransaction } from '../format/transaction.ts'
import { PoolResponse, poolContent, splitPool } from '../queries/pool-content.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { POOL_CONTENT_SCHEMA, POOL_SUMMARY_SCHEMA, POOLED_BY_NONCE_SCHEMA } from '../schemas/schemas.ts'

export const txpool_content = defineMethod({
  name: 'txpool_content',
  summary: 'All pooled transactions by sender and nonce; an error when the response is too large.',
  params: [],
  result: POOL_CONTENT_SCHEMA,
  cost: 100,
  async handle(_, context) {
    const writeSender = context.conventions.objects.hasChecksums ? checksumAddress : (address: Address) => address
    return { ...(await poolContent(context, { encode: formatPooledTransaction, writeSender })) }
  },
})

export const txpool_contentFrom = defineMethod({
  name: 'txpool_contentFrom',
  summary: 'The pooled transactions of one sender by nonce.',
  params: [requiredParam('sender', address)],
  result: {
    type: 'object',
    properties: { pending: POOLED_BY_NONCE_SCHEMA, queued: POOLED_BY_NONCE_SCHEMA },
    required: ['pending', 'queued'],
  },
  cost: 10,
  handle([sender], context) {
    const { pending, queued } = splitPool(sender, context)
    const response = new PoolResponse(
      { maxBytes: context.options.maxPoolResponseBytes },
      { encode: formatPooledTransaction },
    )
    return { pending: response.byNonce(pending), queued: response.byNonce(queued) }
  },
})

export const txpool_inspect = defineMethod({
  name: 'txpool_inspect',
  summary: 'All pooled transactions by sender and nonce, each as one line of text.',
  params: [],
  result: POOL_SUMMARY_SCHEMA,
  cost: 50,
  async handle(_, context) {
    const writeSender = context.conventions.objects.hasChecksums ? checksumAddress : (address: Address) => address
    const encode = (transaction: PoolTransaction) => lineOf(transaction, writeSender)
    return { ...(await poolContent(context, { encode, writeSender })) }
  },
})

/** go-ethereum's format. */
function lineOf(transaction: PoolTransaction, writeAddress: (address: Address) => string): string {
  const { to, value, gasLimit } = transaction
  const receiver = to === null ? 'contract creation' : writeAddress(to)
  return `${receiver}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas(transaction)} wei`
}

export const txpool_status = defineMethod({
  name: 'txpool_status',
  summary: 'Number of pooled transactions: pending are executable, queued are behind a nonce gap.',
  params: [],
  result: {
    type: 'object',
    properties: { pending: quantity.schema, queued: quantity.schema },
    required: ['pending', 'queued'],
  },
  cost: 5,
  async handle(_, context) {
    const { view, yieldIfDue } = context
    let pending = 0
    for (const sender of view.pool.senders()) {
      await yieldIfDue()
      pending += splitPool(sender, context).pending.length
    }
    return { pending: toQuantity(pending), queued: toQuantity(view.pool.size - pending) }
  },
})
