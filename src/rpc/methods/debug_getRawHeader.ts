import { encodeHeader } from '../../chain/header-codec.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { data } from '../codecs/bytes.ts'
import { headerNotFound } from '../errors.ts'
import { defineMethod, required } from '../method.ts'

export const debug_getRawHeader = defineMethod({
  name: 'debug_getRawHeader',
  summary: 'The RLP of a header.',
  params: [required('block', blockReference)],
  result: data.schema,
  cost: 10,
  example: { params: ['latest'], result: '0x…' },
  handle([reference], { view }) {
    const found = view.header(reference)
    if (found === undefined) throw headerNotFound()
    return bytesToHex(encodeHeader(found))
  },
})
