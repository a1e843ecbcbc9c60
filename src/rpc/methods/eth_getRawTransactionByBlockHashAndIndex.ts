import { bytesToHex } from '../../primitives/hex.ts'
import { data, hash } from '../codecs/bytes.ts'
import { count } from '../codecs/quantity.ts'
import { defineMethod, required } from '../method.ts'

export const eth_getRawTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  summary: 'The bytes of the transaction at a position of a block; none: there is none.',
  params: [required('blockHash', hash), required('index', count)],
  result: data.schema,
  cost: 2,
  example: { params: [`0x${'00'.repeat(32)}`, '0x0'], result: '0x' },
  handle([reference, index], { view }) {
    const transaction = view.block({ kind: 'hash', hash: reference, requireCanonical: false })?.block.transactions[
      index
    ]
    return transaction === undefined ? '0x' : bytesToHex(transaction.raw)
  },
})
