import { COMPARISONS, MAX_PREDICATES, type ValidityPredicate } from '../../chain/transaction/validity.ts'
import { slotOfHash } from '../../primitives/hex.ts'
import { MAX_UINT256 } from '../../primitives/quantity.ts'
import { address, hash } from '../codecs/bytes.ts'
import { type Codec, InvalidValueError, jsonObject, listOf, member } from '../codecs/codec.ts'
import { quantity } from '../codecs/quantity.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { isJsonObject, type Json } from '../protocol/json.ts'

/** The second parameter of `base_sendRawTransactionValidity`. */
export interface ValidityOptions {
  readonly validity: readonly ValidityPredicate[]
}

const VALIDITY_TYPES = ['balance', 'storage', 'block_number', 'flashblock_index'] as const
type Type = (typeof VALIDITY_TYPES)[number]

/** Members of `params` by type; `mask` may be missing. */
const MEMBERS: Readonly<Record<Type, readonly string[]>> = {
  balance: ['address', 'op', 'value'],
  storage: ['address', 'slot', 'op', 'value', 'mask'],
  block_number: ['op', 'value'],
  flashblock_index: ['op', 'value'],
}

const predicate: Codec<ValidityPredicate> = {
  decode(json) {
    const object = knownObject(json, ['type', 'params'])
    const type = oneOf(VALIDITY_TYPES, object.type, 'type')
    const params = knownObject(object.params, MEMBERS[type])
    const op = oneOf(COMPARISONS, params.op, 'op')
    const value = needed(params, 'value', quantity)
    if (type === 'balance') return { type, op, value, address: needed(params, 'address', address) }
    if (type !== 'storage') return { type, op, value }
    const place = { address: needed(params, 'address', address), slot: slotOfHash(needed(params, 'slot', hash)) }
    return { type, op, value, ...place, mask: member(params, 'mask', quantity) ?? MAX_UINT256 }
  },
  encode(value) {
    const params: Record<string, Json> = { op: value.op, value: quantity.encode(value.value) }
    if ('address' in value) params.address = value.address
    if (value.type === 'storage') {
      params.slot = value.slot
      params.mask = quantity.encode(value.mask)
    }
    return { type: value.type, params }
  },
  schema: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: [...VALIDITY_TYPES] },
      params: {
        type: 'object',
        properties: {
          address: address.schema,
          slot: hash.schema,
          op: { type: 'string', enum: [...COMPARISONS] },
          value: quantity.schema,
          mask: quantity.schema,
        },
        required: ['op', 'value'],
      },
    },
    required: ['type', 'params'],
  },
}

const predicates = listOf(predicate, MAX_PREDICATES)

export const validityOptions: Codec<ValidityOptions> = {
  checkSize(json) {
    const list = isJsonObject(json) ? json.validity : undefined
    if (!Array.isArray(list) || list.length <= MAX_PREDICATES) return
    const message = `too many validity predicates: ${list.length} (maximum ${MAX_PREDICATES})`
    throw new RpcError(RPC_CODES.invalidParams, message)
  },
  decode: (json) => ({ validity: needed(knownObject(json, ['validity']), 'validity', predicates) }),
  encode: ({ validity }) => ({ validity: predicates.encode(validity) }),
  schema: { type: 'object', properties: { validity: predicates.schema }, required: ['validity'] },
}

/** @throws InvalidValueError unless it is an object without other members */
function knownObject(json: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  const object = jsonObject(json)
  const unknown = Object.keys(object).find((name) => !names.includes(name))
  if (unknown === undefined) return object
  throw new InvalidValueError(`unknown field ${JSON.stringify(unknown.slice(0, 50))}, want ${names.join(', ')}`)
}

function needed<T>(object: Readonly<Record<string, unknown>>, name: string, codec: Codec<T>): T {
  const found = member(object, name, codec)
  if (found === undefined) throw new InvalidValueError(`missing field ${name}`)
  return found
}

function oneOf<const T extends string>(names: readonly T[], json: unknown, what: string): T {
  const found = names.find((name) => name === json)
  if (found === undefined) throw new InvalidValueError(`${what} must be one of ${names.join(' ')}`)
  return found
}
