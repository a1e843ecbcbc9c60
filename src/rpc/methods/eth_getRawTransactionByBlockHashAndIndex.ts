import { bytesToHex } from '../../primitives/hex.ts'
import { data, hash } from '../codecs/bytes.ts'
import { count } from '../codecs/quantity.ts'
import { EXAMPLE_BLOCK_HASH, EXAMPLE_INCLUDED_RAW } from '../examples.ts'
import { defineMethod, required } from '../method.ts'

export const eth_getRawTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  summary: 'The bytes of the transaction at a position of a block; none: there is none.',
  params: [required('blockHash', hash), required('index', count)],
  result: data.schema,
  cost: 2,
  example: { params: [EXAMPLE_BLOCK_HASH, '0x0'], result: EXAMPLE_INCLUDED_RAW },
  handle([reference, index], { view }) {
    const transaction = view.block({ kind: 'hash', hash: reference, requireCanonical: false })?.block.transactions[
      index
    ]
    return transaction === undefined ? '0x' : bytesToHex(transaction.raw)
  },
})
