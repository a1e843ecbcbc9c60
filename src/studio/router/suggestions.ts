import { shortHex } from '../../live/amount.ts'
import type { StockRecord } from '../../live/stock-list.ts'
import type { StudioRoute } from './route.ts'
import { parseSearch } from './search.ts'

/** A place that a search text may mean. */
export interface Suggestion {
  readonly label: string
  /** Kind and further names. */
  readonly details: string
  readonly route: StudioRoute
}

/** Everything that can be found by name. */
export interface SearchSources {
  readonly stocks: readonly StockRecord[]
  readonly views: readonly { readonly label: string; readonly route: StudioRoute }[]
  /** Methods of the node, for the console. */
  readonly methods: readonly { readonly name: string; readonly summary: string }[]
  readonly addresses: readonly { readonly name: string; readonly address: string }[]
}

const MAX_SUGGESTIONS = 10
/** Shorter texts would match most methods and contracts. */
const SHORTEST_PART = 2

/**
 * Meanings of a search text, the best first: stocks by symbol, company or ISIN, views, blocks, hashes, addresses and
 * accounts by name, and methods of the console. An empty text has none.
 */
export function suggestionsFor(text: string, sources: SearchSources): readonly Suggestion[] {
  const term = text.trim().toLowerCase()
  if (term === '') return []
  const ranked = [...named(sources)]
    .map((one) => ({ ...one, rank: Math.min(...one.keys.map((key) => rankOf(key.toLowerCase(), term))) }))
    .filter(({ rank }) => rank < UNRANKED)
    .sort((a, b) => a.rank - b.rank)
  return [...exactly(text), ...ranked.map(({ label, details, route }) => ({ label, details, route }))].slice(
    0,
    MAX_SUGGESTIONS,
  )
}

const UNRANKED = 3

/** 0: equal, 1: begins with it, 2: contains it. */
function rankOf(key: string, term: string): number {
  if (key === term) return 0
  if (key.startsWith(term)) return 1
  return term.length >= SHORTEST_PART && key.includes(term) ? 2 : UNRANKED
}

type Keyed = Suggestion & { readonly keys: readonly string[] }

function* named({ stocks, views, methods, addresses }: SearchSources): Iterable<Keyed> {
  for (const { symbol, name, isin, address } of stocks) {
    const details = ['stock', name, isin].filter(Boolean).join(' · ')
    yield { label: symbol, details, keys: [symbol, name, isin], route: { view: 'stock', address, tab: 'overview' } }
  }
  for (const { label, route } of views) yield { label, details: 'view', keys: [label], route }
  for (const { name, address } of addresses) {
    yield {
      label: name,
      details: shortHex(address),
      keys: [name],
      route: { view: 'account', address, tab: 'overview' },
    }
  }
  for (const { name, summary } of methods) {
    yield { label: name, details: summary, keys: [name], route: { view: 'console', method: name } }
  }
}

/** Reads the text by its form: a height, a tag, an address, or a hash. */
function exactly(text: string): readonly Suggestion[] {
  const term = parseSearch(text)
  if (term.kind === 'hash') {
    const route = { view: 'transaction', hash: term.hash, tab: 'overview' } as const
    return [{ label: shortHex(term.hash), details: 'transaction or block', route }]
  }
  if (term.kind !== 'route') return []
  const { route } = term
  if (route.view === 'block') return [{ label: `Block ${route.id}`, details: 'block', route }]
  return route.view === 'account' ? [{ label: shortHex(route.address), details: 'account', route }] : []
}
