import { maxFeePerGas, type PoolTransaction } from '../../chain/transaction/transaction.ts'
import { checksumAddress } from '../../primitives/checksum-address.ts'
import { defineMethod } from '../method.ts'
import { poolContent } from '../pool-content.ts'
import { POOL_SUMMARY_SCHEMA } from '../schemas.ts'

export const txpool_inspect = defineMethod({
  name: 'txpool_inspect',
  summary: 'All transactions that wait, by sender and nonce, each as one line of text.',
  params: [],
  result: POOL_SUMMARY_SCHEMA,
  cost: 50,
  example: {
    params: [],
    result: {
      pending: {},
      queued: {
        '0x70997970C51812dc3A010C7d01b50e0d17dc79C8': {
          5: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720: 1 wei + 21000 gas × 10000000000 wei',
        },
      },
    },
  },
  async handle(_, context) {
    return { ...(await poolContent(context, { encode: lineOf, writeSender: checksumAddress })) }
  },
})

/** go-ethereum's text. */
function lineOf(transaction: PoolTransaction): string {
  const { to, value, gasLimit } = transaction
  const receiver = to === null ? 'contract creation' : checksumAddress(to)
  return `${receiver}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas(transaction)} wei`
}
