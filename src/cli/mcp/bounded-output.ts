import { isJsonObject, type Json, type JsonRecord } from '../../rpc/protocol/json.ts'
import type { ToolAnswer } from './tools/tool.ts'

/** Characters of an answer as JSON: some ten thousand tokens. */
export const MAX_ANSWER_CHARACTERS = 40_000
const MAX_ENTRIES = 200
const MAX_TEXT = 4_000
const MAX_DEPTH = 64
/** An object with more members is a table that a contract or a node made. */
const MAX_MEMBERS = 100
/** Places of cuts that are named. */
const MAX_NAMED_CUTS = 20

interface Bounds {
  readonly entries: number
  readonly characters: number
  readonly depth: number
}

/**
 * Shortens arrays, texts and deep objects until the answer fits, and adds the places to `truncated`. Members keep
 * their types, so that the answer still has its schema.
 *
 * @param answer its `truncated` names what is missing already
 */
export function bounded({ truncated = [], ...answer }: ToolAnswer): JsonRecord {
  let bounds: Bounds = { entries: MAX_ENTRIES, characters: MAX_TEXT, depth: MAX_DEPTH }
  for (;;) {
    const cuts = [...truncated]
    const shortened = shorten(answer, bounds, '', cuts) as JsonRecord
    const result = cuts.length === 0 ? shortened : { ...shortened, truncated: namedCuts(cuts) }
    if (JSON.stringify(result).length <= MAX_ANSWER_CHARACTERS || bounds.entries === 1) return result
    bounds = {
      entries: Math.max(1, bounds.entries >> 1),
      characters: Math.max(80, bounds.characters >> 1),
      depth: Math.max(4, bounds.depth >> 1),
    }
  }
}

function namedCuts(cuts: readonly string[]): readonly string[] {
  const left = cuts.length - MAX_NAMED_CUTS
  return left <= 0 ? cuts : [...cuts.slice(0, MAX_NAMED_CUTS), `and at ${left} other places`]
}

function shorten(value: Json, bounds: Bounds, path: string, cuts: string[]): Json {
  if (typeof value === 'string') {
    if (value.length <= bounds.characters) return value
    cuts.push(`${path}: ${bounds.characters} of ${value.length} characters`)
    return `${value.slice(0, bounds.characters)}…`
  }
  if (Array.isArray(value)) return shortenList(value, bounds, path, cuts)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value as JsonRecord).filter(([, member]) => member !== undefined)
  const { isCut, count } = cut(entries.length, MAX_MEMBERS, bounds, path, cuts, 'members')
  const kept = isCut ? entries.slice(0, count) : entries
  const inner = { ...bounds, depth: bounds.depth - 1 }
  return Object.fromEntries(
    kept.map(([name, member]) => [name, shorten(member!, inner, path === '' ? name : `${path}.${name}`, cuts)]),
  )
}

function shortenList(list: readonly Json[], bounds: Bounds, path: string, cuts: string[]): Json {
  const { count } = cut(list.length, bounds.entries, bounds, path, cuts, 'entries')
  const inner = { ...bounds, depth: bounds.depth - 1 }
  return list.slice(0, count).map((item, index) => shorten(item, inner, `${path}[${index}]`, cuts))
}

/** How many of some parts are kept; none below the deepest level. */
function cut(
  size: number,
  limit: number,
  { depth }: Bounds,
  path: string,
  cuts: string[],
  what: string,
): { readonly isCut: boolean; readonly count: number } {
  const count = depth <= 0 ? 0 : Math.min(size, limit)
  if (count < size) cuts.push(`${path}: ${count} of ${size} ${what}`)
  return { isCut: count < size, count }
}
