import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
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
  example: {
    params: ['pending'],
    result: [
      '0x02f9016301825691b9010000000000000000000000000000000000000000000000000000000000000000000000000000004000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000040000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000000000000000000040000000000000000000000000000000000000000000000000000000100000000000000000000000000020000000000000000000000000000000000000f85af858945fbdb2315678afecb367f032d93f642f64180aa3e1a0000000000000000000000000000000000000000000000000000000000000002aa00000000000000000000000000000000000000000000000000000000000000000',
    ],
  },
  handle([reference], { view }) {
    const found = view.block(reference)
    if (found === undefined) throw headerNotFound()
    return found.receipts.map((receipt) => bytesToHex(encodeReceipt(receipt)))
  },
})
