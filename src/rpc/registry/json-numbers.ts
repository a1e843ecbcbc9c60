import { toQuantity } from '../../primitives/quantity.ts'
import { QUANTITY_PATTERN } from '../codecs/quantity.ts'
import { STORAGE_KEY_PATTERN } from '../codecs/storage-key.ts'
import { isJsonObject, type JsonSchema } from '../protocol/json.ts'

const NUMBER_PATTERNS: ReadonlySet<unknown> = new Set([QUANTITY_PATTERN, STORAGE_KEY_PATTERN])

/**
 * Writes whole numbers of JSON in hex where a schema has quantities or storage keys: Anvil accepts both forms. Other
 * values are returned as they are.
 *
 * @example withHexNumbers({ value: 1000 }, callObject.schema) // { value: '0x3e8' }
 */
export function withHexNumbers(json: unknown, schema: JsonSchema): unknown {
  if (typeof json === 'number') return isNumber(schema) && isWhole(json) ? toQuantity(json) : json
  if (Array.isArray(json)) {
    const { items } = schema
    return isJsonObject(items) ? json.map((item) => withHexNumbers(item, items as JsonSchema)) : json
  }
  const { properties } = schema
  if (!isJsonObject(json) || !isJsonObject(properties)) return json
  const entries = Object.entries(json).map(([name, value]) => {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [name, isJsonObject(member) ? withHexNumbers(value, member as JsonSchema) : value]
  })
  return Object.fromEntries(entries)
}

function isNumber({ pattern }: JsonSchema): boolean {
  return NUMBER_PATTERNS.has(pattern)
}

/** Larger numbers are rounded by the parser of JSON. */
function isWhole(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}
