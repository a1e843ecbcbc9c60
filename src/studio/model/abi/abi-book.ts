import { type Abi, type AbiEvent, type AbiFunction, parseAbiItem, toEventSelector, toFunctionSelector } from 'viem'
import { jsonIn } from '../../../live/amount.ts'
import { SHIPPED_SIGNATURES } from './shipped-interfaces.ts'

type AbiError = Extract<Abi[number], { type: 'error' }>

/** An ABI that the user has added. */
export interface AbiSource {
  readonly name: string
  readonly abi: Abi
}

export type AbiFileResult =
  | { readonly kind: 'read'; readonly source: AbiSource }
  /** The message says what such a file contains. */
  | { readonly kind: 'refused'; readonly message: string }

/** Functions and errors by selector, events by their first topic. */
export interface KnownAbis {
  functions(selector: string): readonly AbiFunction[]
  errors(selector: string): readonly AbiError[]
  events(topic: string): readonly AbiEvent[]
}

type Known = ReadonlyMap<string, readonly unknown[]>

let shipped: Known | undefined

/** The items of added ABIs, which come first, and those that ship with the page. */
export function createAbiBook(sources: readonly AbiSource[]): KnownAbis {
  const added = indexed(sources.flatMap(({ abi }) => abi))
  const find = (kind: string, key: string) => {
    // Parsed when the first name is looked up: hundreds of signatures would delay the first drawing of the page.
    shipped ??= indexed(distinct(SHIPPED_SIGNATURES.map((signature) => parseAbiItem([signature] as never))))
    const name = `${kind} ${key.toLowerCase()}`
    return [...(added.get(name) ?? []), ...(shipped.get(name) ?? [])]
  }
  return {
    functions: (selector) => find('function', selector) as AbiFunction[],
    errors: (selector) => find('error', selector) as AbiError[],
    events: (topic) => find('event', topic) as AbiEvent[],
  }
}

function indexed(items: readonly unknown[]): Known {
  const byKey = new Map<string, unknown[]>()
  for (const item of items as Abi) {
    const key = keyOf(item)
    if (key === undefined) continue
    byKey.set(key, [...(byKey.get(key) ?? []), item])
  }
  return byKey
}

/** Without items that decode as an earlier one does: interfaces share functions, with other results or names. */
function distinct(items: readonly Abi[number][]): readonly Abi[number][] {
  const byForm = new Map<string, Abi[number]>()
  for (const item of items) {
    const { type, name, inputs = [] } = item as AbiEvent
    const form = JSON.stringify([type, name, inputs], (key, value) =>
      key === 'name' && value !== name ? undefined : value,
    )
    if (!byForm.has(form)) byForm.set(form, item)
  }
  return [...byForm.values()]
}

function keyOf(item: Abi[number]): string | undefined {
  try {
    if (item.type === 'function') return `function ${toFunctionSelector(item)}`
    if (item.type === 'event') return `event ${toEventSelector(item)}`
    // An error has the selector of a function of its name and inputs.
    if (item.type === 'error') return `error ${toFunctionSelector({ ...item, type: 'function' } as never)}`
  } catch {
    // An item of a file with a type that no ABI has.
  }
  return undefined
}

/** Larger files are no ABIs, and would not fit into the storage of the page. */
const MAX_ABI_BYTES = 2 * 1024 * 1024

/** Reads an ABI, or an artifact of Hardhat, Foundry or solc that has one. */
export function readAbiFile(name: string, text: string): AbiFileResult {
  const refused = {
    kind: 'refused',
    message: `${name}: expected a JSON array of ABI items, or an artifact with a member abi`,
  } as const
  if (text.length > MAX_ABI_BYTES)
    return { kind: 'refused', message: `${name} is larger than ${MAX_ABI_BYTES >> 20} MiB` }
  const json = jsonIn(text)
  const abi = Array.isArray(json) ? json : (json as { abi?: unknown } | null)?.abi
  if (!Array.isArray(abi) || !abi.every((item) => isItem(item))) return refused
  return { kind: 'read', source: { name: name.replace(/\.json$/i, ''), abi: abi.map(completed) as unknown as Abi } }
}

interface AbiFileItem {
  readonly type: string
  readonly inputs?: readonly unknown[]
  readonly outputs?: readonly unknown[]
}

/** Items may leave out empty lists, which viem expects. */
function completed(item: AbiFileItem): AbiFileItem {
  const { inputs = [], outputs = [] } = item
  if (item.type === 'function') return { ...item, inputs, outputs }
  return NAMED.has(item.type) ? { ...item, inputs } : item
}

const NAMED = new Set(['function', 'event', 'error'])
/** Tuples within tuples; Solidity allows a few. */
const MAX_DEPTH = 32

function isItem(item: unknown): item is AbiFileItem {
  const { type, name, inputs = [], outputs = [] } = (item ?? {}) as Readonly<Record<string, unknown>>
  if (typeof type !== 'string' || (NAMED.has(type) && typeof name !== 'string')) return false
  return areParameters(inputs, 0) && areParameters(outputs, 0)
}

function areParameters(list: unknown, depth: number): boolean {
  return Array.isArray(list) && depth < MAX_DEPTH && list.every((each) => isParameter(each, depth))
}

function isParameter(parameter: unknown, depth: number): boolean {
  const { type, name = '', components = [] } = (parameter ?? {}) as Readonly<Record<string, unknown>>
  return typeof type === 'string' && typeof name === 'string' && areParameters(components, depth + 1)
}
