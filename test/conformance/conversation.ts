import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { schemaViolations } from '../support/json-schema.ts'

type Json = Readonly<Record<string, unknown>>

export interface Exchange {
  /** The request body, sent byte for byte. */
  readonly request: string
  /** The recorded response. */
  readonly response: Json
}

/** One `.io` file of ethereum/execution-apis. */
export interface Conversation {
  /** For example `METHOD/NAME`. */
  readonly name: string
  readonly method: string
  /** The recorded result is only an example: the result must match the method's schema. */
  readonly specOnly: boolean
  readonly exchanges: readonly Exchange[]
}

/** Result schemas by method, from the OpenRPC document of a suite. */
export type ResultSchemas = ReadonlyMap<string, Json>

const FILE = /\.io(?:\.gz)?$/

/** The conversations of a suite, in the order of ethereum/hive: by path. */
export function readConversations(folder: string): readonly Conversation[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => FILE.test(path))
    .sort()
    .map((path) => {
      const bytes = readFileSync(join(folder, path))
      const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
      return parseConversation(path.split(sep).join('/').replace(FILE, ''), text)
    })
}

/**
 * @throws Error at a line that is neither a comment, a request (`>>`) nor a response (`<<`), and at one without its
 * pair
 */
export function parseConversation(name: string, text: string): Conversation {
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  const firstRequest = lines.findIndex((line) => line.startsWith('>>'))
  const messages = lines.filter((line) => !line.startsWith('//'))
  const exchanges = messages.flatMap((line, index): Exchange[] => {
    const isRequest = line.startsWith('>>')
    if (!isRequest && !line.startsWith('<<')) throw new Error(`${name}: unknown line ${line.slice(0, 40)}`)
    if (isRequest !== (index % 2 === 0)) throw new Error(`${name}: a request or a response without its pair`)
    if (isRequest) return []
    return [{ request: messages[index - 1]!.slice(2).trim(), response: JSON.parse(line.slice(2)) as Json }]
  })
  if (messages.length % 2 !== 0) throw new Error(`${name}: a request without a response`)
  return {
    name,
    method: name.slice(0, name.indexOf('/')),
    specOnly: lines.slice(0, firstRequest).some((line) => /^\/\/ ?speconly:/.test(line)),
    exchanges,
  }
}

export function resultSchemas(openRpc: unknown): ResultSchemas {
  const { methods } = openRpc as { readonly methods: readonly { readonly name: string; readonly result?: Json }[] }
  return new Map(
    methods.flatMap(({ name, result }) => (result?.schema ? [[name, result.schema as Json] as const] : [])),
  )
}

/**
 * Compares a response with the recorded one by the rules of the rpc-compat simulator of ethereum/hive: all members must
 * be equal, with none missing and none added. Error messages are not compared if both sides have one.
 *
 * @returns the differences; `undefined` if there are none
 */
export function difference(
  { specOnly }: Conversation,
  { request, response }: Exchange,
  actualText: string,
  schemas: ResultSchemas,
): string | undefined {
  const actual = JSON.parse(actualText) as Json
  if (specOnly && !('error' in actual)) {
    const { method } = JSON.parse(request) as { readonly method: string }
    const schema = schemas.get(method)
    if (schema === undefined) return `the OpenRPC document has no result schema for ${method}`
    return schemaViolations(schema, actual.result)[0]
  }
  const [left, right] = withoutCommonMessages(actual, response)
  if (isDeepStrictEqual(left, right)) return undefined
  return `expected ${JSON.stringify(right).slice(0, 500)}, got ${JSON.stringify(left).slice(0, 500)}`
}

/** Removes `message` from `error` objects, at any depth, where both values have it. */
function withoutCommonMessages(left: unknown, right: unknown): readonly [unknown, unknown] {
  if (Array.isArray(left) && Array.isArray(right)) {
    const pairs = left.map((item, index) => withoutCommonMessages(item, right[index]))
    return [pairs.map(([item]) => item), right.map((item, index) => pairs[index]?.[1] ?? item)]
  }
  if (!isObject(left) || !isObject(right)) return [left, right]
  const [newLeft, newRight]: Record<string, unknown>[] = [{ ...left }, { ...right }]
  for (const key of Object.keys(left).filter((name) => Object.hasOwn(right, name))) {
    const pair = key === 'error' ? withoutMessage(left[key], right[key]) : withoutCommonMessages(left[key], right[key])
    newLeft![key] = pair[0]
    newRight![key] = pair[1]
  }
  return [newLeft, newRight]
}

function withoutMessage(left: unknown, right: unknown): readonly [unknown, unknown] {
  if (!isObject(left) || !isObject(right) || !('message' in left) || !('message' in right)) return [left, right]
  const { message: _left, ...leftRest } = left
  const { message: _right, ...rightRest } = right
  return [leftRest, rightRest]
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
