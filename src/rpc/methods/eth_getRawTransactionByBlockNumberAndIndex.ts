import { bytesToHex } from '../../primitives/hex.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { data } from '../codecs/bytes.ts'
import { count } from '../codecs/quantity.ts'
import { EXAMPLE_INCLUDED_RAW } from '../examples.ts'
import { defineMethod, required } from '../method.ts'

export const eth_getRawTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  summary: 'The bytes of the transaction at a position of a block; none: there is none.',
  params: [required('block', blockHeight), required('index', count)],
  result: data.schema,
  cost: 2,
  example: { params: ['pending', '0x0'], result: EXAMPLE_INCLUDED_RAW },
  handle([reference, index], { view }) {
    const transaction = view.block(reference)?.block.transactions[index]
    return transaction === undefined ? '0x' : bytesToHex(transaction.raw)
  },
})
