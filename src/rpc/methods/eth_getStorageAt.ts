import { LATEST } from '../../node/core/block-reference.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { address, hash } from '../codecs/bytes.ts'
import { storageKey } from '../codecs/storage-key.ts'
import { stateAfter } from '../context.ts'
import { EXAMPLE_CONTRACT } from '../examples.ts'
import { defineMethod, optionalWith, required } from '../method.ts'

export const eth_getStorageAt = defineMethod({
  name: 'eth_getStorageAt',
  summary: 'The 32 bytes in a storage slot after a block.',
  params: [required('address', address), required('key', storageKey), optionalWith('block', blockReference, LATEST)],
  result: hash.schema,
  cost: 1,
  example: {
    params: [EXAMPLE_CONTRACT, '0x0', 'latest'],
    result: '0x0000000000000000000000000000000000000000000000000000000000000000',
  },
  handle([account, slot, reference], context) {
    const state = stateAfter(context, reference)
    return bigintToHash(context.view.storage(state, account, slot))
  },
})
