import type { JsonSchema } from '../protocol/json.ts'

/**
 * Short text for a schema, for reference pages: the title of a named object, else its type. Code is in backticks.
 *
 * @example schemaName({ type: 'array', items: { title: 'log' } }) // 'array of log'
 */
export function schemaName(schema: JsonSchema): string {
  const { title, oneOf, anyOf, type, items } = schema
  if (typeof title === 'string') return title
  const choices = oneOf ?? anyOf
  if (Array.isArray(choices))
    return [...new Set(choices.map((choice) => schemaName(choice as JsonSchema)))].join(' or ')
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(' or ')
  if (type === 'array' && items !== undefined) return `array of ${schemaName(items as JsonSchema)}`
  if (type === 'object') return objectName(schema)
  return typeof type === 'string' ? type : 'any'
}

function objectName({ properties }: JsonSchema): string {
  if (!isSchema(properties)) return 'object'
  const names = Object.keys(properties)
  return names.length === 0 ? 'object' : `object (${names.map((name) => `\`${name}\``).join(', ')})`
}

/** Members of an anonymous object with their types. Named objects have none: `namedObjects` documents them once. */
export function memberRows(schema: JsonSchema, path = ''): (readonly [name: string, type: string])[] {
  const { title, properties, items, additionalProperties } = schema
  if (typeof title === 'string') return []
  if (isSchema(items)) return memberRows(items, `${path}[]`)
  if (isSchema(additionalProperties)) return memberRows(additionalProperties, `${path}.*`)
  if (!isSchema(properties)) return []
  return Object.entries(properties).flatMap(([name, member]) => {
    const qualifiedName = path === '' ? name : `${path}.${name}`
    // `properties` of a schema are schemas.
    const inner = member as JsonSchema
    return [[`\`${qualifiedName}\``, schemaName(inner)] as const, ...memberRows(inner, qualifiedName)]
  })
}

/** The named objects in schemas, recursively, in the order of their names; without their titles. */
export function namedObjects(schemas: Iterable<JsonSchema>): readonly (readonly [title: string, JsonSchema])[] {
  const found = new Map<string, JsonSchema>()
  for (const schema of schemas) collectObjects(schema, found)
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, { title: _, ...schema }]) => [title, schema])
}

function collectObjects(schema: JsonSchema, found: Map<string, JsonSchema>): void {
  const { title, properties } = schema
  if (typeof title === 'string' && isSchema(properties)) found.set(title, schema)
  for (const part of Object.values(schema).flat()) if (isSchema(part)) collectObjects(part, found)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
