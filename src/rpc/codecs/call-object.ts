import type { CallRequest } from '../../engine/call/call-message.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { accessList, authorizationList } from './access-list.ts'
import { address, data, hash } from './bytes.ts'
import { type Codec, jsonObject, listOf, member } from './codec.ts'
import { objectOf } from './object.ts'
import { quantity, quantity64 } from './quantity.ts'

export const MAX_BLOB_HASHES = 128

const members = objectOf<CallRequest>(
  {
    from: address,
    to: address,
    gas: quantity64,
    gasPrice: quantity,
    maxFeePerGas: quantity,
    maxPriorityFeePerGas: quantity,
    value: quantity,
    data,
    nonce: quantity64,
    accessList,
    authorizationList,
    blobVersionedHashes: listOf(hash, MAX_BLOB_HASHES),
    maxFeePerBlobGas: quantity,
    chainId: quantity,
  },
  { data: 'input' },
)

/** The call object of `eth_call`, estimates and simulations; `data` is the older name of `input`. */
export const callObject: Codec<CallRequest> = {
  decode(json) {
    const object = jsonObject(json)
    const call = members.decode(object)
    const olderName = member(object, 'data', data)
    if (olderName === undefined) return call
    if (call.data !== undefined && Buffer.compare(call.data, olderName) !== 0) {
      throw new RpcError(
        RPC_CODES.server,
        'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
      )
    }
    return Object.assign(call, { data: olderName })
  },
  encode: members.encode,
  schema: {
    title: 'call object',
    type: 'object',
    properties: {
      ...jsonObject(members.schema.properties),
      data: { ...data.schema, description: 'older name of input' },
    },
  } as JsonSchema,
}
