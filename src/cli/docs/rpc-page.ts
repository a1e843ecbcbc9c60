import type { Json, JsonSchema } from '../../rpc/json.ts'
import type { Method } from '../../rpc/method.ts'
import { namespaceOf, namespacesOf } from '../../rpc/namespaces.ts'
import { METHODS } from '../../rpc/registry.ts'
import { CHANNELS } from '../../rpc/subscriptions/channels.ts'
import { code, page, table } from './markdown.ts'

const INTRODUCTION = `JSON-RPC 2.0, by POST to \`/\` or over a WebSocket on the same port. \`cost\` is what a request takes of what
\`--rate-limit\` gives. Which namespaces there are on a transport is set with \`--http-api\` and \`--ws-api\`.`

/** `docs/rpc.md`: every method of the registry. */
export function rpcPage(): string {
  const sections = namespacesOf(METHODS).map((namespace) => {
    const methods = METHODS.filter(({ name }) => namespaceOf(name) === namespace)
    return [`## ${namespace}`, ...methods.map(section)].join('\n\n')
  })
  const kinds = `Kinds of \`eth_subscribe\`: ${[...CHANNELS.keys()].map(code).join(', ')}.`
  return page('JSON-RPC methods', '`src/rpc/registry.ts`', INTRODUCTION, kinds, ...sections)
}

function section({ name, dialect, summary, params, result, cost, example }: Method): string {
  const rows = params.map((parameter) => [
    code(parameter.name),
    typeOf(parameter.schema),
    parameter.required ? 'yes' : 'no',
    'default' in parameter.schema ? code(JSON.stringify(parameter.schema.default)) : '',
  ])
  const request: Json = { method: name, params: example.params }
  return [
    `### ${name}`,
    dialect === undefined ? summary : `${summary} In dialect \`${dialect}\` only.`,
    ...(rows.length === 0 ? [] : [table(['parameter', 'type', 'required', 'default'], rows)]),
    `Result: ${typeOf(result)}. Cost: ${cost}.`,
    `\`\`\`json\n${JSON.stringify(request)}\n${JSON.stringify(example.result)}\n\`\`\``,
  ].join('\n\n')
}

/** A schema in a few words. */
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
