type Members = Readonly<Record<string, unknown>>

/** Nested schemas that are written out; deeper ones, and those that contain themselves, end as `…`. */
const MAX_DEPTH = 8
/** Schemas in one text: references can multiply. */
const MAX_SCHEMAS = 600

/**
 * A JSON schema as a type, a member per line.
 *
 * @param definitions `components.schemas` of its document, which references name
 * @example schemaText({ type: 'array', items: { title: 'log' } }, {}) // '(log)[]'
 */
export function schemaText(schema: unknown, definitions: unknown): string {
  return textOf(schema, { definitions: membersOf(definitions), budget: { left: MAX_SCHEMAS }, depth: 0 })
}

interface Context {
  readonly definitions: Members
  readonly budget: { left: number }
  readonly depth: number
}

function textOf(json: unknown, context: Context): string {
  const schema = membersOf(json)
  context.budget.left -= 1
  if (context.depth > MAX_DEPTH || context.budget.left < 0) return '…'
  const { title, type, $ref, properties, items } = schema
  const inner = (each: unknown) => textOf(each, { ...context, depth: context.depth + 1 })
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    return Object.hasOwn(context.definitions, name) ? inner(context.definitions[name]) : name
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const choices = schema.oneOf ?? schema.anyOf
  if (Array.isArray(choices)) return choices.map(inner).join(' | ')
  if (Array.isArray(schema.allOf)) return schema.allOf.map(inner).join(' & ')
  if (properties !== undefined) return objectText(schema, inner)
  if (items !== undefined) return arrayText(items, inner)
  if (typeof title === 'string') return title
  return Array.isArray(type) ? type.map(String).join(' | ') : typeof type === 'string' ? type : 'any'
}

function objectText({ properties, required }: Members, inner: (schema: unknown) => string): string {
  const names = new Set(Array.isArray(required) ? required.map(String) : [])
  const lines = Object.entries(membersOf(properties)).map(
    ([name, schema]) => `${name}${names.has(name) ? '' : '?'}: ${inner(schema)}`,
  )
  const members = lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}\n`)
  return members.length === 0 ? '{}' : `{\n${members.join('')}}`
}

function arrayText(items: unknown, inner: (schema: unknown) => string): string {
  const text = Array.isArray(items) ? items.map(inner).join(', ') : inner(items)
  if (Array.isArray(items)) return `[${text}]`
  const isOne = /^\w+$/.test(text) || membersOf(items).properties !== undefined
  return isOne ? `${text}[]` : `(${text})[]`
}

function membersOf(json: unknown): Members {
  return json !== null && typeof json === 'object' ? (json as Members) : {}
}
