import { hashHeader } from '../../chain/block/header-codec.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { encodeHeader } from '../encode/header.ts'
import { EXAMPLE_HEADER } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { HEADER_SCHEMA, orNull } from '../schemas.ts'

export const eth_getHeaderByNumber = defineMethod({
  name: 'eth_getHeaderByNumber',
  summary: 'The header of a block by height or tag; of the pending one as far as it is pre-confirmed.',
  params: [required('block', blockHeight)],
  result: orNull(HEADER_SCHEMA),
  cost: 1,
  example: { params: ['pending'], result: EXAMPLE_HEADER },
  handle([reference], { view }) {
    const header = view.header(reference)
    return header === undefined ? null : encodeHeader(header, hashHeader(header))
  },
})
