import type { Schema } from './schema.ts'

/** Members of the objects in a response's list, by name; empty where it has no list. */
export function listItemFields(schema: Schema): readonly (readonly [string, Schema])[] {
  const members = Object.values((schema.properties ?? {}) as Readonly<Record<string, Schema>>)
  const items = members.find(({ type }) => type === 'array')?.items as Schema | undefined
  return Object.entries((items?.properties ?? {}) as Readonly<Record<string, Schema>>)
}

/** A schema in a few words, as in `number (double) or string`. */
export function typeName({ type, format, nullable, oneOf, items }: Schema): string {
  if (Array.isArray(oneOf)) return oneOf.map(typeName).join(' or ')
  if (type === 'array') return `array of ${typeName(items as Schema)}`
  const name = format === undefined ? String(type) : `${type} (${format})`
  return nullable === true ? `${name} or null` : name
}
