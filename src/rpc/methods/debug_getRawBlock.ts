import { encodeBlock } from '../../chain/block-codec.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { data } from '../codecs/bytes.ts'
import { headerNotFound } from '../errors.ts'
import { defineMethod, required } from '../method.ts'

export const debug_getRawBlock = defineMethod({
  name: 'debug_getRawBlock',
  summary: 'The RLP of a block: of the open one as it stands.',
  params: [required('block', blockReference)],
  result: data.schema,
  cost: 10,
  example: { params: ['latest'], result: '0x…' },
  handle([reference], { view }) {
    const found = view.block(reference)
    if (found === undefined) throw headerNotFound()
    return bytesToHex(encodeBlock(found.block))
  },
})
