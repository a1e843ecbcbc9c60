import type { Json, JsonSchema } from '../protocol/json.ts'
import { type Codec, InvalidValueError, jsonObject, member } from './codec.ts'

type Members<T> = { readonly [K in keyof Required<T>]: Codec<NonNullable<T[K]>> }

/**
 * An object with optional members only; unknown ones are ignored, as in go-ethereum.
 *
 * @param wireNames of members that have another name on the wire
 * @example objectOf<{ time?: bigint }>({ time: quantity64 })
 */
export function objectOf<T extends object>(
  members: Members<T>,
  wireNames: Partial<Record<keyof T & string, string>> = {},
): Codec<T> {
  const names = Object.keys(members) as (keyof T & string)[]
  const wireName = (name: keyof T & string) => wireNames[name] ?? name
  const readers = names.map((name) => ({ name, wire: wireName(name), codec: members[name] }))
  // All members are set, so that the objects share one hidden class.
  const nothing = Object.fromEntries(names.map((name) => [name, undefined])) as Partial<T>
  const readersByWire = new Map<string, (typeof readers)[number]>(readers.map((reader) => [reader.wire, reader]))
  const inOrder = (object: Readonly<Record<string, unknown>>): T => {
    const value: Partial<T> = { ...nothing }
    for (const { name, wire, codec } of readers) {
      const found = member(object, wire, codec)
      if (found !== undefined) value[name] = found
    }
    return value as T
  }
  return {
    decode(json) {
      const object = jsonObject(json)
      const value: Partial<T> = { ...nothing }
      try {
        // Iterates over the members that are present: most objects have few.
        for (const wire of Object.keys(object)) {
          const reader = readersByWire.get(wire)
          const found = object[wire]
          if (reader !== undefined && found !== undefined && found !== null)
            value[reader.name] = reader.codec.decode(found)
        }
      } catch {
        // Of several invalid members, the first in declaration order is reported.
        return inOrder(object)
      }
      return value as T
    },
    encode(value) {
      const entries = names.map((name): [string, Json | undefined] => {
        const found = value[name]
        return [wireName(name), found === undefined || found === null ? undefined : members[name].encode(found)]
      })
      return Object.fromEntries(entries)
    },
    schema: {
      type: 'object',
      properties: Object.fromEntries(names.map((name): [string, JsonSchema] => [wireName(name), members[name].schema])),
    },
  }
}

/**
 * An object in which a member that the codec does not know is an error: ignoring it would answer another question than
 * the client asked.
 *
 * @param aliases names that other nodes use, each with the name here, which wins if both are given
 * @example closedObject(objectOf<{ time?: bigint }>({ time: quantity64 }), { timestamp: 'time' })
 */
export function closedObject<T extends object>(
  codec: Codec<T>,
  aliases: Readonly<Record<string, string>> = {},
): Codec<T> {
  const { properties = {} } = codec.schema as { readonly properties?: object }
  const known = Object.keys(properties)
  return {
    ...codec,
    decode(json) {
      const members: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(jsonObject(json))) {
        const own = Object.hasOwn(aliases, name) ? aliases[name]! : name
        if (own === name || !Object.hasOwn(members, own)) members[own] = value
      }
      refuseUnknownMembers(members, known)
      return codec.decode(members)
    },
  }
}

/** @throws InvalidValueError that names the first unknown member */
export function refuseUnknownMembers(object: object, known: readonly string[]): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new InvalidValueError(`unknown member '${unknown.slice(0, 66)}', want ${known.join(', ')}`)
}

/** An object whose members do not matter. */
export const ignoredObject: Codec<object> = objectOf<object>({})

/** A JSON value that does not matter. */
export const ignoredValue: Codec<NonNullable<Json>> = {
  decode: (json) => json as NonNullable<Json>,
  encode: (value) => value,
  schema: {},
}
