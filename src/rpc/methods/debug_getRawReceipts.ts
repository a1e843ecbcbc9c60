import { encodeReceipt } from '../../chain/receipt-codec.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { data } from '../codecs/bytes.ts'
import { headerNotFound } from '../errors.ts'
import { defineMethod, required } from '../method.ts'
import { arrayOf } from '../schemas.ts'

export const debug_getRawReceipts = defineMethod({
  name: 'debug_getRawReceipts',
  summary: 'The receipts of a block as the receipts trie holds them (EIP-2718).',
  params: [required('block', blockReference)],
  result: arrayOf(data.schema),
  cost: 10,
  example: { params: ['latest'], result: ['0x…'] },
  handle([reference], { view }) {
    const found = view.block(reference)
    if (found === undefined) throw headerNotFound()
    return found.receipts.map((receipt) => bytesToHex(encodeReceipt(receipt)))
  },
})
