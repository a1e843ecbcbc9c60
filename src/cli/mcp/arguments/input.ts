import { blockReference, numericHeight } from '../../../rpc/codecs/block-reference.ts'
import { type Codec, InvalidValueError, jsonObject, listOf } from '../../../rpc/codecs/codec.ts'
import { closedObject, ignoredValue, objectOf } from '../../../rpc/codecs/object.ts'
import { isJsonObject, type Json, type JsonSchema } from '../../../rpc/protocol/json.ts'

/** Members of a tool's input: each a codec, with a description for agents. */
type Members<T> = { readonly [K in keyof Required<T>]: Codec<NonNullable<T[K]>> }

/**
 * The arguments of a tool. Unknown members are errors, so that a misspelt one is not ignored.
 *
 * @param required names of members that must be there
 */
export function inputOf<T extends object>(members: Members<T>, required: readonly (keyof T & string)[] = []): Codec<T> {
  const codec = closedObject(objectOf<T>(members))
  return {
    ...codec,
    decode(json) {
      const value = codec.decode(json)
      const missing = required.find((name) => value[name] === undefined)
      if (missing !== undefined) throw new InvalidValueError('is required', missing)
      return value
    },
    schema: { ...jsonObject(codec.schema), additionalProperties: false, required: [...required] } as JsonSchema,
  }
}

/** A codec with the description of the member. */
export function described<T>(codec: Codec<T>, description: string): Codec<T> {
  return { ...codec, schema: { ...codec.schema, description } }
}

/** One of some texts. */
export function oneOf<T extends string>(values: readonly T[], description: string): Codec<T> {
  return {
    decode(json) {
      const found = values.find((value) => value === json)
      if (found === undefined) throw new InvalidValueError(`want ${values.join(', ')}`)
      return found
    },
    encode: (value) => value,
    schema: { type: 'string', enum: [...values], description },
  }
}

/** A block as parameter of JSON-RPC. */
export type BlockParameter = string | { readonly blockHash: string }

/** A block: tag, number in decimal or hex, or hash. */
export const blockArgument: Codec<BlockParameter> = {
  decode(json) {
    const isDecimal = typeof json === 'string' && /^[0-9]{1,15}$/.test(json)
    const given = isDecimal ? Number(json) : json
    const reference = typeof given === 'number' ? numericHeight.decode(given) : blockReference.decode(given)
    const wire = blockReference.encode(reference)
    return isJsonObject(wire) ? { blockHash: wire.blockHash as string } : (wire as string)
  },
  encode: (value) => (typeof value === 'string' ? value : value.blockHash),
  schema: {
    anyOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }],
    description:
      'block: a number in decimal or hex, a hash, or latest, pending, safe, finalized, earliest. Default pending, ' +
      'which includes the pre-confirmed flashblocks of the open block',
  },
}

const MAX_ARGUMENTS = 100

/** Arguments of a function by position. */
export const callArguments: Codec<readonly NonNullable<Json>[]> = {
  ...listOf(ignoredValue, MAX_ARGUMENTS),
  schema: {
    type: 'array',
    description:
      'arguments of the function by position: integers as decimal or hex strings (numbers below 2^53 may be JSON numbers), ' +
      'bytes and addresses as hex strings, arrays and tuples as arrays',
  },
}
