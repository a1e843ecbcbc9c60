import { toQuantity } from '../../primitives/quantity.ts'
import { QUANTITY_PATTERN } from '../codecs/quantity.ts'
import { STORAGE_KEY_PATTERN } from '../codecs/storage-key.ts'
import type { JsonNumbers } from '../compat/node-conventions.ts'
import { isJsonObject, type JsonSchema } from '../protocol/json.ts'

const PATTERNS: Readonly<Record<Exclude<JsonNumbers, 'none'>, readonly unknown[]>> = {
  quantities: [QUANTITY_PATTERN],
  'quantities and storage keys': [QUANTITY_PATTERN, STORAGE_KEY_PATTERN],
}

/**
 * Writes whole numbers of JSON in hex where a schema has quantities (block numbers too) or storage keys: Anvil accepts
 * both forms of either, Hardhat of quantities. Other values are returned as they are.
 *
 * @example withHexNumbers({ value: 1000 }, callObject.schema, 'quantities') // { value: '0x3e8' }
 */
export function withHexNumbers(json: unknown, schema: JsonSchema, numbers: JsonNumbers): unknown {
  if (numbers === 'none') return json
  const alternatives = alternativesOf(schema)
  if (typeof json === 'number') {
    const isNumber = alternatives.some(({ pattern }) => PATTERNS[numbers].includes(pattern))
    return isNumber && isWhole(json) ? toQuantity(json) : json
  }
  if (Array.isArray(json)) {
    const items = alternatives.map((alternative) => alternative.items).find(isJsonObject)
    return items === undefined ? json : json.map((item) => withHexNumbers(item, items as JsonSchema, numbers))
  }
  if (!isJsonObject(json)) return json
  const properties = alternatives.flatMap((alternative) =>
    isJsonObject(alternative.properties) ? [alternative.properties] : [],
  )
  const entries = Object.entries(json).map(([name, value]) => {
    const member = properties.find((known) => Object.hasOwn(known, name))?.[name]
    return [name, isJsonObject(member) ? withHexNumbers(value, member as JsonSchema, numbers) : value]
  })
  return Object.fromEntries(entries)
}

/** A schema and those of which it is one. */
function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf, oneOf } = schema
  const nested = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as readonly JsonSchema[]) : []))
  return [schema, ...nested.flatMap(alternativesOf)]
}

/** Larger numbers are rounded by the parser of JSON. */
function isWhole(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}
