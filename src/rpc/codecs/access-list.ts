import type { AccessListItem, Authorization } from '../../chain/transaction/transaction.ts'
import { address, hash } from './bytes.ts'
import { type Codec, InvalidValueError, jsonObject, listOf, member } from './codec.ts'
import { count, quantity, quantity64 } from './quantity.ts'

export const MAX_ACCESS_LIST_ITEMS = 10_000

const accessListItem: Codec<AccessListItem> = {
  decode(json) {
    const object = jsonObject(json)
    return {
      address: mandatory(object, 'address', address),
      storageKeys: member(object, 'storageKeys', listOf(hash, MAX_ACCESS_LIST_ITEMS)) ?? [],
    }
  },
  encode: (item) => ({ address: item.address, storageKeys: item.storageKeys }),
  schema: {
    type: 'object',
    properties: { address: address.schema, storageKeys: { type: 'array', items: hash.schema } },
    required: ['address'],
  },
}

/** EIP-2930 */
export const accessList = listOf(accessListItem, MAX_ACCESS_LIST_ITEMS)

const authorization: Codec<Authorization> = {
  decode(json) {
    const object = jsonObject(json)
    return {
      chainId: mandatory(object, 'chainId', quantity),
      address: mandatory(object, 'address', address),
      nonce: mandatory(object, 'nonce', quantity64),
      yParity: mandatory(object, 'yParity', count),
      r: mandatory(object, 'r', quantity),
      s: mandatory(object, 's', quantity),
    }
  },
  encode: (value) => ({
    chainId: quantity.encode(value.chainId),
    address: value.address,
    nonce: quantity64.encode(value.nonce),
    yParity: count.encode(value.yParity),
    r: quantity.encode(value.r),
    s: quantity.encode(value.s),
  }),
  schema: {
    type: 'object',
    properties: {
      chainId: quantity.schema,
      address: address.schema,
      nonce: quantity64.schema,
      yParity: count.schema,
      r: quantity.schema,
      s: quantity.schema,
    },
    required: ['chainId', 'address', 'nonce', 'yParity', 'r', 's'],
  },
}

/** EIP-7702 */
export const authorizationList = listOf(authorization, MAX_ACCESS_LIST_ITEMS)

function mandatory<T>(object: Readonly<Record<string, unknown>>, name: string, codec: Codec<T>): T {
  const value = member(object, name, codec)
  if (value === undefined) throw new InvalidValueError(`missing member ${name}`)
  return value
}
