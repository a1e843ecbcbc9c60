import { RPC_METHODS } from '../../src/rpc/methods/all-methods.ts'
import type { Json, JsonSchema } from '../../src/rpc/protocol/json.ts'
import { namespaceOf, namespacesOf } from '../../src/rpc/protocol/namespaces.ts'
import type { Method } from '../../src/rpc/registry/method.ts'
import { exampleOf, loadMethodExamples } from '../../src/rpc/registry/open-rpc.ts'
import { code, page, table } from './markdown.ts'
import { SUBSCRIPTION_REFERENCE } from './subscription-kinds.ts'

const EXAMPLES = await loadMethodExamples()

const INTRODUCTION = `JSON-RPC 2.0, by POST to \`/\` or over a WebSocket on the same port. \`Cost\` counts against \`--rate-limit\`.
\`--http-api\` and \`--ws-api\` select the namespaces of each transport.`

const SUBSCRIBING = `Over a WebSocket, \`eth_subscribe\` returns an id. Notifications have it in \`params.subscription\`, and their content in
\`params.result\`.`

const OBJECTS = `The tables do not distinguish required members from members that depend on the type, the fork or the dialect. The OpenRPC
document (\`rpc.discover\`) lists the required ones.`

/** `docs/rpc.md`: every method, every subscription, and the objects in their parameters and results. */
export function rpcPage(): string {
  const sections = namespacesOf(RPC_METHODS).map((namespace) => {
    const methods = RPC_METHODS.filter(({ name }) => namespaceOf(name) === namespace)
    return [`## ${namespace}`, ...methods.map(section)].join('\n\n')
  })
  return page('JSON-RPC methods', '`src/rpc/methods`', INTRODUCTION, subscriptions(), ...sections, objects())
}

function subscriptions(): string {
  const rows = Object.entries(SUBSCRIPTION_REFERENCE).map(([name, { summary, options, payload }]) => [
    code(name),
    summary,
    options,
    typeOf(payload),
  ])
  return [
    '## Subscriptions',
    SUBSCRIBING,
    table(['kind', 'notifies of', 'second parameter', 'result of a message'], rows),
  ].join('\n\n')
}

function section(method: Method): string {
  const { name, summary, params, result, cost, development } = method
  if (development?.aliasOf !== undefined) return `### ${name}\n\nAnother name of \`${development.aliasOf}\`.`
  const example = exampleOf(method, EXAMPLES)
  const rows = params.map((parameter) => [
    code(parameter.name),
    typeOf(parameter.schema),
    parameter.required ? 'yes' : 'no',
    'default' in parameter.schema ? code(JSON.stringify(parameter.schema.default)) : '',
  ])
  const request: Json = { method: name, params: example.params }
  const response = example.error === undefined ? example.result : { error: { ...example.error } }
  return [
    `### ${name}`,
    `${summary}${availability(method)}`,
    ...(rows.length === 0 ? [] : [table(['parameter', 'type', 'required', 'default'], rows)]),
    ...params.flatMap((parameter) => membersOf(parameter.schema, `Members of \`${parameter.name}\``)),
    `Result: ${typeOf(result)}. Cost: ${cost}.`,
    ...membersOf(result, 'Members of the result'),
    `\`\`\`json\n${JSON.stringify(request)}\n${JSON.stringify(response)}\n\`\`\``,
  ].join('\n\n')
}

/** Where the method exists, unless on every node. */
function availability({ dialect, development }: Method): string {
  if (development?.isOnEveryNode === true) return ''
  const inDialect = dialect === undefined ? '' : `in dialect \`${dialect}\``
  if (development !== undefined) return ` On development nodes${inDialect && `, and ${inDialect}`}.`
  return inDialect && ` ${inDialect[0]!.toUpperCase()}${inDialect.slice(1)} only.`
}

/** Members of an anonymous object; named objects are documented once, at the end. */
function membersOf(schema: JsonSchema, heading: string): string[] {
  const rows = memberRows(schema)
  return rows.length === 0 ? [] : [`${heading}:`, table(['member', 'type'], rows)]
}

function memberRows({ title, properties, items, additionalProperties }: JsonSchema, path = ''): string[][] {
  if (typeof title === 'string') return []
  if (isSchema(items)) return memberRows(items, `${path}[]`)
  if (isSchema(additionalProperties)) return memberRows(additionalProperties, `${path}.*`)
  if (!isSchema(properties)) return []
  return Object.entries(properties).flatMap(([name, schema]) => {
    const qualifiedName = path === '' ? name : `${path}.${name}`
    return [[code(qualifiedName), typeOf(schema as JsonSchema)], ...memberRows(schema as JsonSchema, qualifiedName)]
  })
}

function objects(): string {
  const found = new Map<string, JsonSchema>()
  for (const { params, result } of RPC_METHODS) {
    for (const schema of [...params.map((parameter) => parameter.schema), result]) collectObjects(schema, found)
  }
  for (const { payload } of Object.values(SUBSCRIPTION_REFERENCE)) collectObjects(payload, found)
  const sections = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { title: _, ...schema }]) => [`### ${title}`, ...membersOf(schema, 'Members')].join('\n\n'))
  return ['## Objects', OBJECTS, ...sections].join('\n\n')
}

/** Named objects in a schema, recursively. */
function collectObjects(schema: JsonSchema, found: Map<string, JsonSchema>): void {
  const { title, properties } = schema
  if (typeof title === 'string' && isSchema(properties)) found.set(title, schema)
  for (const part of Object.values(schema).flat()) if (isSchema(part)) collectObjects(part, found)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Short text for a schema. */
function typeOf(schema: JsonSchema): string {
  const { title, oneOf, anyOf, type, items } = schema
  if (typeof title === 'string') return title
  const choices = oneOf ?? anyOf
  if (Array.isArray(choices)) return [...new Set(choices.map((choice) => typeOf(choice as JsonSchema)))].join(' or ')
  if ('enum' in schema && Array.isArray(schema.enum))
    return schema.enum.map((value) => code(String(value))).join(' or ')
  if (type === 'array' && items !== undefined) return `array of ${typeOf(items as JsonSchema)}`
  if (type === 'object') return objectOf(schema)
  return typeof type === 'string' ? type : 'any'
}

function objectOf({ properties }: JsonSchema): string {
  if (typeof properties !== 'object' || properties === null) return 'object'
  const names = Object.keys(properties)
  return names.length === 0 ? 'object' : `object (${names.map(code).join(', ')})`
}
