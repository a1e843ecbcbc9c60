import type { FeedFilter } from '../../feed/feed-filter.ts'
import { InvalidHexError, toAddress, toHash } from '../../primitives/hex.ts'
import type { FeedForm } from './flashblock-feed.ts'

/** Options of a feed subscription. */
export interface FeedRequest {
  readonly form: FeedForm
  /** `undefined`: every flashblock. */
  readonly filter: FeedFilter | undefined
}

export type FeedRequestResult =
  | { readonly kind: 'accepted'; readonly request: FeedRequest }
  /** The message names the allowed parameters. */
  | { readonly kind: 'refused'; readonly message: string }

const NAMES = ['compression', 'addresses', 'topics', 'match']

/**
 * Parses the query of the feed's URL. Filters have the format of flashblocks-websocket-proxy.
 *
 * @param target path and query
 * @example readFeedRequest('/feed?compression=brotli')
 */
export function readFeedRequest(target: string): FeedRequestResult {
  const start = target.indexOf('?')
  const query = new URLSearchParams(start === -1 ? '' : target.slice(start + 1))
  const unknown = [...query.keys()].find((name) => !NAMES.includes(name))
  if (unknown !== undefined) return refused(`there is no parameter ${unknown.slice(0, 80)}, only ${NAMES.join(', ')}`)
  const twice = NAMES.find((name) => query.getAll(name).length > 1)
  if (twice !== undefined) return refused(`${twice} is given more than once: separate values by commas`)
  const compression = query.get('compression') ?? 'none'
  if (compression !== 'none' && compression !== 'brotli') return refused('compression is none or brotli')
  const match = query.get('match') ?? 'any'
  if (match !== 'any' && match !== 'all') return refused('match is any or all')
  try {
    const addresses = new Set(listOf(query.get('addresses')).map(toAddress))
    const topics = new Set(listOf(query.get('topics')).map(toHash))
    const filter: FeedFilter | undefined = addresses.size + topics.size === 0 ? undefined : { addresses, topics, match }
    return { kind: 'accepted', request: { form: compression === 'brotli' ? 'brotli' : 'text', filter } }
  } catch (error) {
    if (error instanceof InvalidHexError) return refused(error.message)
    throw error
  }
}

function refused(message: string): FeedRequestResult {
  return { kind: 'refused', message }
}

function listOf(text: string | null): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
