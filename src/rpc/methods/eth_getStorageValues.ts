import { LATEST } from '../../node/core/block-reference.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { hash } from '../codecs/bytes.ts'
import { storageRequests } from '../codecs/storage-requests.ts'
import { stateAfter } from '../context.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { defineMethod, optionalWith, required } from '../method.ts'
import { arrayOf } from '../schemas.ts'

/** Slots of one request, and the code for more, as in go-ethereum. */
const MAX_SLOTS = 1_024
const LIMIT_EXCEEDED = -38026

export const eth_getStorageValues = defineMethod({
  name: 'eth_getStorageValues',
  summary: `Up to ${MAX_SLOTS} slots of any number of accounts, after one block.`,
  params: [required('requests', storageRequests), optionalWith('block', blockReference, LATEST)],
  result: { type: 'object', additionalProperties: arrayOf(hash.schema) },
  cost: 10,
  example: {
    params: [{ '0x0000000000000000000000000000000000000000': ['0x0'] }, 'latest'],
    result: {
      '0x0000000000000000000000000000000000000000': [
        '0x0000000000000000000000000000000000000000000000000000000000000000',
      ],
    },
  },
  handle([requests, reference], context) {
    const count = [...requests.values()].reduce((sum, slots) => sum + slots.length, 0)
    if (count === 0) throw new RpcError(RPC_CODES.invalidParams, 'empty request')
    if (count > MAX_SLOTS) throw new RpcError(LIMIT_EXCEEDED, `too many slots (max ${MAX_SLOTS})`)
    const state = stateAfter(context, reference)
    const { view } = context
    return Object.fromEntries(
      Array.from(requests, ([account, slots]) => [
        account,
        slots.map((slot) => bigintToHash(view.storage(state, account, slot))),
      ]),
    )
  },
})
