import type { StudioRoute } from './route.ts'

/** Meanings of a search text. */
export type SearchTerm =
  | { readonly kind: 'route'; readonly route: StudioRoute }
  /** A transaction or a block. */
  | { readonly kind: 'hash'; readonly hash: string }
  /** The symbol of a tokenized stock, perhaps. */
  | { readonly kind: 'symbol'; readonly symbol: string }
  | { readonly kind: 'nothing'; readonly message: string }

/** Hint for a text that the search cannot read. */
export const NOTHING = 'Search for a block number, a hash, an address or the symbol of a stock.'

const TAGS = ['latest', 'pending', 'safe', 'finalized', 'earliest']

/**
 * Reads a search text: a height, a hash, an address, a block tag, or a symbol.
 *
 * @example parseSearch('1,234') // { kind: 'route', route: { view: 'block', id: '1234' } }
 */
export function parseSearch(text: string): SearchTerm {
  const term = text.trim()
  const digits = term.replace(/^#/, '').replaceAll(/[,_\s]/g, '')
  if (/^\d{1,15}$/.test(digits)) return { kind: 'route', route: { view: 'block', id: String(Number(digits)) } }
  const lower = term.toLowerCase()
  if (/^0x[0-9a-f]{64}$/.test(lower)) return { kind: 'hash', hash: lower }
  if (/^[0-9a-f]{64}$/.test(lower)) return { kind: 'hash', hash: `0x${lower}` }
  if (/^0x[0-9a-f]{40}$/.test(lower)) {
    return { kind: 'route', route: { view: 'account', address: lower, tab: 'overview' } }
  }
  if (TAGS.includes(lower)) return { kind: 'route', route: { view: 'block', id: lower } }
  if (/^0x[0-9a-f]{1,12}$/.test(lower)) {
    return { kind: 'route', route: { view: 'block', id: String(Number(lower)) } }
  }
  if (/^[\p{L}\p{N}.$-]{1,24}$/u.test(term) && !lower.startsWith('0x')) return { kind: 'symbol', symbol: term }
  return { kind: 'nothing', message: NOTHING }
}
