import { type Codec, describe, InvalidValueError, jsonObject, listOf, within } from '../codecs/codec.ts'
import { text } from '../codecs/text.ts'
import type { Json } from '../protocol/json.ts'
import { DOMAIN_TYPE, domainFields, type TypedData, type TypedDataField } from './typed-data.ts'

export const MAX_TYPED_DATA_FIELDS = 1_000
export const MAX_TYPED_DATA_TYPES = 1_000

const field: Codec<TypedDataField> = {
  decode(json) {
    const { name, type } = jsonObject(json)
    return { name: text.decode(name), type: text.decode(type) }
  },
  encode: ({ name, type }) => ({ name, type }),
  schema: { type: 'object', properties: { name: text.schema, type: text.schema }, required: ['name', 'type'] },
}

const fields = listOf(field, MAX_TYPED_DATA_FIELDS)

/** The typed data of `eth_signTypedData_v4`: an object, or its JSON in a string, as MetaMask has it. */
export const typedData: Codec<TypedData> = {
  decode(json) {
    const object = jsonObject(typeof json === 'string' ? parsed(json) : json)
    const domain = within('domain', () => jsonObject(object.domain ?? {}))
    const declared = Object.entries(within('types', () => jsonObject(object.types)))
    if (declared.length > MAX_TYPED_DATA_TYPES)
      throw new InvalidValueError(`${declared.length} types, want at most ${MAX_TYPED_DATA_TYPES}`)
    const types = new Map(declared.map(([name, list]) => [name, within(`types.${name}`, () => fields.decode(list))]))
    if (!types.has(DOMAIN_TYPE)) types.set(DOMAIN_TYPE, domainFields(domain))
    const primaryType = within('primaryType', () => text.decode(object.primaryType))
    if (!types.has(primaryType)) throw new InvalidValueError(`the type ${primaryType} is not defined`, 'primaryType')
    const message = within('message', () => jsonObject(object.message ?? {}))
    return { types, primaryType, domain, message }
  },
  encode: ({ types, primaryType, domain, message }) => ({
    types: Object.fromEntries(Array.from(types, ([name, list]) => [name, fields.encode(list)])),
    primaryType,
    domain: domain as Json,
    message: message as Json,
  }),
  schema: {
    title: 'typed data',
    oneOf: [
      { type: 'object', required: ['types', 'primaryType', 'domain', 'message'] },
      { type: 'string', description: 'the object as JSON' },
    ],
  },
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new InvalidValueError(`expected JSON, got ${describe(json)} that is none`)
  }
}
