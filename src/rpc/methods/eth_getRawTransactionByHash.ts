import { encodeSentTransaction } from '../../chain/transaction/blob-sidecar.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { data, hash } from '../codecs/bytes.ts'
import { defineMethod, required } from '../method.ts'

export const eth_getRawTransactionByHash = defineMethod({
  name: 'eth_getRawTransactionByHash',
  summary: 'The bytes of a transaction (EIP-2718); one that waits with blobs comes with them. None: there is none.',
  params: [required('transactionHash', hash)],
  result: data.schema,
  cost: 2,
  example: { params: ['0x0000000000000000000000000000000000000000000000000000000000000000'], result: '0x' },
  handle([transactionHash], { view }) {
    const found = view.transaction(transactionHash)
    if (found === undefined) return '0x'
    return bytesToHex(found.kind === 'pooled' ? encodeSentTransaction(found.transaction) : found.transaction.raw)
  },
})
