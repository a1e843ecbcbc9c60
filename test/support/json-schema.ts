import { isDeepStrictEqual } from 'node:util'

type Schema = Readonly<Record<string, unknown>>

/**
 * Validates a value against a JSON Schema and returns one message, with its path, for each violation.
 *
 * @throws Error at a keyword that it does not implement, so that no schema is accepted unchecked
 */
export function schemaViolations(schema: Schema, value: unknown, path = '$'): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    const check = CHECKS[keyword]
    if (check === undefined) throw new Error(`unknown keyword ${keyword} at ${path}`)
    return check(rule, value, path, schema)
  })
}

type Check = (rule: unknown, value: unknown, path: string, schema: Schema) => string[]

const CHECKS: Readonly<Record<string, Check>> = {
  title: () => [],
  description: () => [],
  default: () => [],
  const: (rule, value, path) => (isDeepStrictEqual(value, rule) ? [] : [`${path} is not ${JSON.stringify(rule)}`]),
  type: (rule, value, path) => (hasType(String(rule), value) ? [] : [`${path} is not ${rule}`]),
  enum: (rule, value, path) => ((rule as unknown[]).includes(value) ? [] : [`${path} is none of ${rule}`]),
  pattern: (rule, value, path) =>
    typeof value !== 'string' || new RegExp(String(rule)).test(value) ? [] : [`${path} does not match ${rule}`],
  minimum: (rule, value, path) => (typeof value !== 'number' || value >= Number(rule) ? [] : [`${path} below ${rule}`]),
  maximum: (rule, value, path) => (typeof value !== 'number' || value <= Number(rule) ? [] : [`${path} above ${rule}`]),
  maxItems: (rule, value, path) =>
    !Array.isArray(value) || value.length <= Number(rule) ? [] : [`${path} has too many items`],
  items: (rule, value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => schemaViolations(rule as Schema, item, `${path}[${index}]`))
      : [],
  oneOf(rule, value, path) {
    const count = matching(rule as Schema[], value, path)
    return count === 1 ? [] : [`${path} matches ${count} of the alternatives`]
  },
  anyOf: (rule, value, path) =>
    matching(rule as Schema[], value, path) > 0 ? [] : [`${path} matches none of the alternatives`],
  properties: (rule, value, path) =>
    isObject(value)
      ? Object.entries(rule as Record<string, Schema>).flatMap(([name, schema]) =>
          Object.hasOwn(value, name) ? schemaViolations(schema, value[name], `${path}.${name}`) : [],
        )
      : [],
  required: (rule, value, path) =>
    isObject(value)
      ? (rule as string[]).filter((name) => !Object.hasOwn(value, name)).map((name) => `${path}.${name} is missing`)
      : [],
  additionalProperties(rule, value, path, { properties = {} }) {
    if (!isObject(value)) return []
    return Object.entries(value)
      .filter(([name]) => !Object.hasOwn(properties as object, name))
      .flatMap(([name, item]) => {
        if (typeof rule === 'boolean') return rule ? [] : [`${path}.${name} is not known`]
        return schemaViolations(rule as Schema, item, `${path}.${name}`)
      })
  },
}

function matching(schemas: readonly Schema[], value: unknown, path: string): number {
  return schemas.filter((schema) => schemaViolations(schema, value, path).length === 0).length
}

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
