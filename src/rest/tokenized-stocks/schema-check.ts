import type { Node } from 'jsonc-parser'
import type { Schema } from '../http/schema.ts'

/** A fault and its position in the text. */
export interface Fault {
  readonly offset: number
  readonly message: string
}

/**
 * Validates a JSON text against a schema and returns the faults in order. Implements the keywords of the registry's
 * schema; its descriptions become the messages.
 *
 * @param path path of the node, as in `tokens[0].isin`
 */
export function faultsOf(node: Node, schema: Schema, path: string): readonly Fault[] {
  if (!isOf(node, schema)) {
    return [{ offset: node.offset, message: `${path} must be ${schema.description}; it is ${shown(node)}` }]
  }
  if (node.type === 'object') return objectFaults(node, schema, path)
  if (node.type === 'array') {
    return (node.children ?? []).flatMap((item, index) => faultsOf(item, schema.items as Schema, `${path}[${index}]`))
  }
  return []
}

function isOf({ type, value, children = [] }: Node, schema: Schema): boolean {
  if (type !== schema.type) return false
  if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value)) return false
  return typeof schema.maxItems !== 'number' || children.length <= schema.maxItems
}

function objectFaults(node: Node, schema: Schema, path: string): readonly Fault[] {
  const properties = schema.properties as Readonly<Record<string, Schema>>
  const seen = new Set<string>()
  const faults: Fault[] = []
  for (const { children = [] } of node.children ?? []) {
    const [key, value] = children
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    const place = path === TOP ? name : `${path}.${name}`
    if (seen.has(name)) faults.push({ offset: key.offset, message: `${place} is there twice` })
    else if (!Object.hasOwn(properties, name))
      faults.push({ offset: key.offset, message: unknownText(place, properties) })
    else faults.push(...faultsOf(value, properties[name]!, place))
    seen.add(name)
  }
  const missing = (schema.required as readonly string[]).filter((name) => !seen.has(name))
  return [...faults, ...missing.map((name) => ({ offset: node.offset, message: `${path} lacks ${name}` }))]
}

/** Path of the root. */
export const TOP = 'the file'

function unknownText(path: string, properties: Readonly<Record<string, Schema>>): string {
  return `${path} is not known here, only ${Object.keys(properties).join(', ')}`
}

function shown({ type, value }: Node): string {
  if (type === 'object' || type === 'array') return type === 'object' ? 'an object' : 'an array'
  return JSON.stringify(value).slice(0, 80)
}
