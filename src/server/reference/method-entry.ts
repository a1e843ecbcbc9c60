import { quoted } from '../../primitives/text/shell.ts'
import type { JsonSchema } from '../../rpc/protocol/json.ts'
import type {
  MethodDescription,
  MethodEffect,
  MethodExample,
  ParameterDescription,
} from '../../rpc/protocol/method-description.ts'
import { memberRows, schemaName } from '../../rpc/schemas/schema-names.ts'
import { codeBlock, entry, escaped, folded, prose, type ReferenceEntry, table } from './html.ts'
import { viemCall, viemSubscription } from './viem-call.ts'

/** What the entries of methods share. */
export interface MethodPage {
  /** URL of the node. */
  readonly url: string
  /** Names of the methods on the page, which the flags of the node select. */
  readonly served: ReadonlySet<string>
  /** Names of the objects that the page describes. */
  readonly objects: ReadonlySet<string>
}

/** Methods that are served over WebSockets only. */
export const ON_SOCKETS: ReadonlySet<string> = new Set(['eth_subscribe', 'eth_unsubscribe'])

const EFFECTS: Readonly<Record<MethodEffect, string | undefined>> = {
  none: undefined,
  client: 'changes filters or subscriptions of the client',
  chain: 'changes the chain or the node',
}

/** The part of the page for a JSON-RPC method. */
export function methodEntry(method: MethodDescription, example: MethodExample, page: MethodPage): ReferenceEntry {
  const { name, summary, params, result, cost, effect, development } = method
  const named = development?.aliasOf
  const aliasOf = named !== undefined && page.served.has(named) ? named : undefined
  const effectText = EFFECTS[effect]
  const isOnSocket = ON_SOCKETS.has(name)
  return entry({
    id: name,
    title: name,
    badges: [
      ...(effectText === undefined ? [] : [[effectText, effect === 'chain'] as const]),
      ...(isOnSocket ? [['WebSocket only', false] as const] : []),
      [`cost ${cost}`, false],
    ],
    ...(!isOnSocket && { request: { kind: 'rpc', text: JSON.stringify(example.params) } }),
    body: [
      `<p>${prose(summary)}${aliasOf === undefined ? '' : ` Another name of <a href="#${aliasOf}">${aliasOf}</a>.`}</p>`,
      table(
        ['Parameter', 'Value'],
        params.map((parameter) => [`<code>${escaped(parameter.name)}</code>`, valueText(parameter, page)]),
      ),
      ...params.map(({ name: parameter, schema }) => memberTable(schema, `Members of ${parameter}`)),
      ...(isOnSocket ? socketExamples(method, example, page) : httpExamples(method, example, page)),
      // An alias has the result of the method that it names.
      ...(aliasOf === undefined ? [`<p>Result: ${typeText(result, page)}</p>`, memberTable(result)] : []),
      ...(aliasOf === undefined ? [folded('Example answer', `<pre>${escaped(answerOf(example))}</pre>`)] : []),
    ],
  })
}

function valueText({ required, schema }: ParameterDescription, page: MethodPage): string {
  const fallback = 'default' in schema ? `; without it <code>${escaped(JSON.stringify(schema.default))}</code>` : ''
  return `${typeText(schema, page)}${required ? '' : ', optional'}${fallback}`
}

function requestText({ name }: MethodDescription, { params }: MethodExample): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params })
}

function httpExamples(method: MethodDescription, example: MethodExample, { url }: MethodPage): readonly string[] {
  const request = quoted(requestText(method, example))
  return [
    codeBlock('curl', `curl -s ${url} -H 'content-type: application/json' -d ${request}`),
    codeBlock('viem', viemCall(method.name, example.params)),
  ]
}

/** A subscription ends with its connection: `wscat`, which sends one request, cannot unsubscribe. */
function socketExamples(method: MethodDescription, example: MethodExample, { url }: MethodPage): readonly string[] {
  const address = url.replace(/^http/, 'ws')
  if (method.name === 'eth_unsubscribe') return [codeBlock('viem', viemSubscription(address, 'ended'))]
  return [
    codeBlock('wscat', `npx wscat -c ${address} -w 10 -x ${quoted(requestText(method, example))}`),
    codeBlock('viem', viemSubscription(address, 'open')),
  ]
}

/** @returns the answer without its version and id, which follow from the request */
function answerOf(example: MethodExample): string {
  const { result, error } = example
  return JSON.stringify(error === undefined ? { result } : { error }, undefined, 1)
}

/** The name of a schema; names of objects lead to their description. */
export function typeText(schema: JsonSchema, page: Pick<MethodPage, 'objects'>): string {
  return typeNameText(schemaName(schema), page)
}

/** @param name as `schemaName` gives it. @example 'array of log' */
export function typeNameText(name: string, { objects }: Pick<MethodPage, 'objects'>): string {
  const title = [...objects].find((one) => name === one || name === `array of ${one}`)
  if (title === undefined) return prose(name)
  const link = `<a href="#${objectId(title)}">${escaped(title)}</a>`
  return name === title ? link : `array of ${link}`
}

export function objectId(title: string): string {
  return `object-${title.replaceAll(/[^\w]+/g, '-')}`
}

/** Members of an object without a name. @param heading of a part that readers open; none: the table alone */
export function memberTable(schema: JsonSchema, heading = 'Members'): string {
  const rows = memberRows(schema).map(([name, type]) => [prose(name), prose(type)])
  return rows.length === 0 ? '' : folded(heading, table(['Member', 'Type'], rows))
}
