import { InvalidValueError, within } from '../codecs/codec.ts'
import { DOMAIN_TYPE, type TypedData } from './typed-data.ts'

/**
 * Refuses typed data that `eth_signTypedData_v3` does not know. For all other data its hash is that of version 4.
 *
 * @throws InvalidValueError for an array, a recursive type or a missing struct in what is signed
 */
export function checkVersion3({ types, primaryType, domain, message }: TypedData): void {
  within('domain', () => checkStruct(types, DOMAIN_TYPE, domain, []))
  within('message', () => checkStruct(types, primaryType, message, []))
}

/** @param outer types of the structs around this one; since none repeats, they bound the depth */
function checkStruct(types: TypedData['types'], type: string, value: unknown, outer: readonly string[]): void {
  const path = [...outer, type]
  for (const field of types.get(type) ?? []) {
    within(field.name, () => {
      if (field.type.endsWith(']')) throw unsupported(`the array type ${field.type.slice(0, 100)}`)
      if (!types.has(field.type)) return
      if (path.includes(field.type)) throw unsupported(`the recursive type ${field.type.slice(0, 100)}`)
      const member = memberOf(value, field.name)
      // Version 4 signs it as zero, version 3 leaves it out.
      if (member == null) throw unsupported('a missing struct')
      checkStruct(types, field.type, member, path)
    })
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function unsupported(what: string): InvalidValueError {
  return new InvalidValueError(`${what} is not supported by version 3: use eth_signTypedData_v4`)
}
