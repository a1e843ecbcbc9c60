import { type Abi, type AbiEvent, type AbiFunction, parseAbiItem, toEventSelector, toFunctionSelector } from 'viem'
import { KNOWN_SIGNATURES } from './known-signatures.ts'

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
  shipped ??= indexed(KNOWN_SIGNATURES.map((signature) => parseAbiItem([signature] as never)))
  const known = shipped
  const find = (kind: string, key: string) => {
    const name = `${kind} ${key.toLowerCase()}`
    return [...(added.get(name) ?? []), ...(known.get(name) ?? [])]
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
export const MAX_ABI_BYTES = 2 * 1024 * 1024

/** Reads an ABI, or an artifact of Hardhat, Foundry or solc that has one. */
export function readAbiFile(name: string, text: string): AbiFileResult {
  const refused = {
    kind: 'refused',
    message: `${name}: expected a JSON array of ABI items, or an artifact with a member abi`,
  } as const
  if (text.length > MAX_ABI_BYTES)
    return { kind: 'refused', message: `${name} is larger than ${MAX_ABI_BYTES >> 20} MiB` }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return refused
  }
  const abi = Array.isArray(json) ? json : (json as { abi?: unknown } | null)?.abi
  if (!Array.isArray(abi) || !abi.every(isItem)) return refused
  return { kind: 'read', source: { name: name.replace(/\.json$/i, ''), abi: abi as Abi } }
}

function isItem(item: unknown): boolean {
  if (item === null || typeof item !== 'object') return false
  const { type, name, inputs } = item as { type?: unknown; name?: unknown; inputs?: unknown }
  if (typeof type !== 'string') return false
  const isNamed = type !== 'function' && type !== 'event' && type !== 'error' ? true : typeof name === 'string'
  return isNamed && (inputs === undefined || Array.isArray(inputs))
}
