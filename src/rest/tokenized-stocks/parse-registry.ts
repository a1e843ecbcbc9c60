import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { toAddress } from '../../primitives/hex.ts'
import { MAX_UINT64 } from '../../primitives/quantity.ts'
import { isIsin } from '../../primitives/stocks/isin.ts'
import { digestOf } from '../http/representation.ts'
import type { Schema } from '../http/schema.ts'
import type { RegisteredToken, Registry } from './registry.ts'
import { REGISTRY_SCHEMA } from './registry-schema.ts'

/** An invalid registry file; the message names file, line and column of up to ten faults. */
export class RegistryError extends Error {
  readonly code = 'INVALID_REGISTRY'
  override readonly name = 'RegistryError'
}

const MAX_SHOWN = 10

/** An entry that matches the schema. */
interface Entry {
  readonly contract_address: string
  readonly chain_id?: string
  readonly symbol: string
  readonly name: string
  readonly isin: string
  readonly icon_url?: string
  readonly nav_feed_address?: string
  readonly nav_heartbeat_seconds?: number
  readonly supply_includes_multiplier?: boolean
}

/**
 * Reads the file of listed tokens (`registry-schema.ts`): JSON without comments.
 *
 * @param file name of the file in messages
 * @throws RegistryError
 */
export function parseRegistry(file: string, text: string): Registry {
  const errors: ParseError[] = []
  // Without the byte order mark.
  const json = text.replace(/^\uFEFF/, '')
  const root = treeOf(file, json, errors)
  const syntaxFaults = errors.map(({ error, offset }) => ({ offset, message: syntaxText(printParseErrorCode(error)) }))
  if (root === undefined || syntaxFaults.length > 0) throw faulty(file, json, syntaxFaults.slice(0, 1))
  const faults = faultsOf(root, REGISTRY_SCHEMA, TOP)
  if (faults.length > 0) throw faulty(file, json, faults)
  const { tokens, discover = true } = getNodeValue(root) as { readonly tokens: Entry[]; readonly discover?: boolean }
  const contradictions = tokens.flatMap((entry, index) => entryFaults(root, tokens, entry, index))
  if (contradictions.length > 0) throw faulty(file, json, contradictions)
  return {
    tokens: tokens.map(tokenOf),
    lists: discover ? 'registeredAndDiscovered' : 'registered',
    digest: digestOf(text),
  }
}

/** The parser is recursive, so deep nesting exceeds the stack. */
function treeOf(file: string, json: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(json, errors, { disallowComments: true, allowTrailingComma: false })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new RegistryError(
      `${file}: ${TOP} nests thousands of arrays or objects: it must be an object with a list of tokens`,
    )
  }
}

/** Faults that the schema does not express. */
function entryFaults(root: Node, tokens: readonly Entry[], entry: Entry, index: number): Fault[] {
  const fault = (member: keyof Entry, message: string) => {
    const { offset } = findNodeAtLocation(root, ['tokens', index, member])!
    return { offset, message: `tokens[${index}].${member} ${message}` }
  }
  const earlier = tokens.findIndex((other) => isSameToken(other, entry))
  return [
    ...(isIsin(entry.isin) ? [] : [fault('isin', `${entry.isin} is no ISIN: its check digit is wrong`)]),
    ...(BigInt(entry.chain_id ?? 0) > MAX_UINT64 ? [fault('chain_id', 'must be below 2^64')] : []),
    ...(earlier < index ? [fault('contract_address', `is that of tokens[${earlier}] already`)] : []),
  ]
}

/** Whether two entries list one address on the same chain. */
function isSameToken(one: Entry, other: Entry): boolean {
  const isSameChain = one.chain_id === undefined || other.chain_id === undefined || one.chain_id === other.chain_id
  return isSameChain && one.contract_address.toLowerCase() === other.contract_address.toLowerCase()
}

function tokenOf(entry: Entry): RegisteredToken {
  const { contract_address, chain_id, symbol, name, isin, icon_url = '', nav_feed_address } = entry
  const { supply_includes_multiplier: supplyIncludesMultiplier, nav_heartbeat_seconds: navHeartbeatSeconds } = entry
  return {
    address: toAddress(contract_address),
    chainId: chain_id === undefined ? undefined : BigInt(chain_id),
    symbol,
    name,
    isin,
    iconUrl: icon_url,
    navFeed: nav_feed_address === undefined ? undefined : toAddress(nav_feed_address),
    ...(navHeartbeatSeconds !== undefined && { navHeartbeatSeconds }),
    ...(supplyIncludesMultiplier !== undefined && { supplyIncludesMultiplier }),
  }
}

function faulty(file: string, text: string, faults: readonly Fault[]): RegistryError {
  const shown = faults.slice(0, MAX_SHOWN).map(({ offset, message }) => {
    const before = text.slice(0, offset).split('\n')
    return `${file}:${before.length}:${before.at(-1)!.length + 1}: ${message}`
  })
  const more = faults.length > MAX_SHOWN ? [`and ${faults.length - MAX_SHOWN} more`] : []
  return new RegistryError([...shown, ...more].join('\n'))
}

/** @example syntaxText('CommaExpected') // 'no JSON: comma expected' */
function syntaxText(code: string): string {
  return `no JSON: ${code.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim()}`
}

/** A fault and its position in the text. */
interface Fault {
  readonly offset: number
  readonly message: string
}

/**
 * Validates a JSON text against a schema and returns the faults in order. Implements the keywords of the registry's
 * schema; its descriptions become the messages.
 *
 * @param path path of the node, as in `tokens[0].isin`
 */
function faultsOf(node: Node, schema: Schema, path: string): readonly Fault[] {
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
  if (schema.type === 'integer') return Number.isInteger(value) && isWithin(value, schema)
  if (type !== schema.type) return false
  if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value)) return false
  return typeof schema.maxItems !== 'number' || children.length <= schema.maxItems
}

function isWithin(value: number, { minimum, maximum }: Schema): boolean {
  return value >= Number(minimum) && value <= Number(maximum)
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
const TOP = 'the file'

function unknownText(path: string, properties: Readonly<Record<string, Schema>>): string {
  return `${path} is not known here, only ${Object.keys(properties).join(', ')}`
}

function shown({ type, value }: Node): string {
  if (type === 'object' || type === 'array') return type === 'object' ? 'an object' : 'an array'
  return JSON.stringify(value).slice(0, 80)
}
