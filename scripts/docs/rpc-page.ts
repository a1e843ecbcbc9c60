import { RPC_METHODS } from '../../src/rpc/methods/all-methods.ts'
import type { Json, JsonSchema } from '../../src/rpc/protocol/json.ts'
import { namespaceOf, namespacesOf } from '../../src/rpc/protocol/namespaces.ts'
import type { Method } from '../../src/rpc/registry/method.ts'
import { exampleOf, loadMethodExamples } from '../../src/rpc/registry/open-rpc.ts'
import { memberRows, namedObjects, schemaName } from '../../src/rpc/schemas/schema-names.ts'
import { SUBSCRIPTION_REFERENCE } from '../../src/rpc/schemas/subscription-reference.ts'
import { code, page, table } from './markdown.ts'

const EXAMPLES = await loadMethodExamples()

const INTRODUCTION = `JSON-RPC 2.0, by POST to \`/\` or over a WebSocket on the same port. \`Cost\` counts against \`--rate-limit\`.
\`--http-api\` and \`--ws-api\` select the namespaces of each transport. A node serves this reference of its own methods
at \`/docs\`, with examples for curl and viem, and requests that can be sent from the page.`

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
    schemaName(payload),
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
    schemaName(parameter.schema),
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
    `Result: ${schemaName(result)}. Cost: ${cost}.`,
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

function objects(): string {
  const schemas = [
    ...RPC_METHODS.flatMap(({ params, result }) => [...params.map((parameter) => parameter.schema), result]),
    ...Object.values(SUBSCRIPTION_REFERENCE).map(({ payload }) => payload),
  ]
  const sections = namedObjects(schemas).map(([title, schema]) =>
    [`### ${title}`, ...membersOf(schema, 'Members')].join('\n\n'),
  )
  return ['## Objects', OBJECTS, ...sections].join('\n\n')
}
