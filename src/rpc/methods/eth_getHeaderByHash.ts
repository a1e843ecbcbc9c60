import { hash } from '../codecs/bytes.ts'
import { encodeHeader } from '../encode/header.ts'
import { EXAMPLE_BLOCK_HASH, EXAMPLE_HEADER } from '../examples.ts'
import { defineMethod, required } from '../method.ts'
import { HEADER_SCHEMA, orNull } from '../schemas.ts'

export const eth_getHeaderByHash = defineMethod({
  name: 'eth_getHeaderByHash',
  summary: 'The header of a block by its hash, or by a partial hash of a recent flashblock: then as it was there.',
  params: [required('blockHash', hash)],
  result: orNull(HEADER_SCHEMA),
  cost: 1,
  example: { params: [EXAMPLE_BLOCK_HASH], result: EXAMPLE_HEADER },
  handle([blockHash], { view }) {
    const header = view.header({ kind: 'hash', hash: blockHash, requireCanonical: false })
    return header === undefined ? null : encodeHeader(header, blockHash)
  },
})
