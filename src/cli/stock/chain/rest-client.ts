import { boundedFetch } from '../../../primitives/bounded-fetch.ts'
import { StockError } from '../terms/stock-error.ts'
import { type WireObject, wireObject } from './wire.ts'

export interface RestServiceOptions {
  /** Where the REST paths begin. Default: that of `rpcUrl`. */
  readonly restUrl: string | undefined
  readonly rpcUrl: string
  readonly requestTimeoutMs: number
}

const MAX_RESPONSE_BYTES = 64 * 2 ** 20
/** Entries of a page of the service. */
const MAX_PAGE = 1_000
/** `code` of google.rpc.Status. */
const NOT_FOUND = 5
const INVALID_ARGUMENT = 3

/** Address of a path of the stock service, which is at the origin of the node unless it is named. */
export function restAddress({ restUrl, rpcUrl }: Pick<RestServiceOptions, 'restUrl' | 'rpcUrl'>, path: string): URL {
  const { protocol, host, username, password } = new URL(rpcUrl)
  const credentials = username === '' ? '' : `${username}:${password}@`
  const base = restUrl ?? `${protocol}//${credentials}${host}`
  return new URL(`${base.replace(/\/+$/, '')}${path}`)
}

/** Entries of a list, and whether they are all of them. */
export interface RestEntries {
  readonly entries: readonly WireObject[]
  readonly isComplete: boolean
}

/**
 * Entries of a list of the stock service, page by page.
 *
 * @param path of the list, and the member with its entries
 * @throws StockError
 */
export async function restEntries(
  options: RestServiceOptions,
  { path, member }: { readonly path: string; readonly member: string },
  { query, limit }: { readonly query: Readonly<Record<string, string | undefined>>; readonly limit: number },
): Promise<RestEntries> {
  const entries: WireObject[] = []
  let pageToken: string | undefined
  do {
    const url = restAddress(options, path)
    const size = String(Math.min(limit - entries.length, MAX_PAGE))
    for (const [name, value] of Object.entries({ ...query, page_size: size, page_token: pageToken })) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    const page = await get(url, options.requestTimeoutMs)
    if (!Array.isArray(page[member])) throw noService(url, `it answers without ${member}`)
    entries.push(...page[member].map((entry) => wireObject(entry, 'entry of a list')))
    pageToken = typeof page.next_page_token === 'string' ? page.next_page_token : undefined
  } while (pageToken !== undefined && entries.length < limit)
  return { entries, isComplete: pageToken === undefined }
}

async function get(url: URL, timeoutMs: number): Promise<WireObject> {
  let body: unknown
  try {
    const response = await boundedFetch(MAX_RESPONSE_BYTES)(url.href, { signal: AbortSignal.timeout(timeoutMs) })
    body = await response.json()
    if (response.status === 200) return wireObject(body, 'response')
  } catch (error) {
    if (error instanceof SyntaxError) throw noService(url, 'it answers without JSON')
    throw unreachable(url, error, timeoutMs)
  }
  throw restRefusal(url, body)
}

/** The error for a response with an error body. */
export function restRefusal(url: URL, body: unknown): StockError {
  const { code, message } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (typeof message !== 'string') return noService(url, 'it answers with an error of another form')
  const details = { restCode: code }
  if (code === NOT_FOUND) return new StockError('STOCK_NOT_FOUND', message, details)
  if (code === INVALID_ARGUMENT) return new StockError('INVALID_INPUT', message, details)
  return new StockError('NODE_ERROR', `${url.origin}: ${message}`, details)
}

export function unreachable(url: URL, error: unknown, timeoutMs: number): StockError {
  const { origin } = url
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  const reason = isLate ? `no answer within ${timeoutMs / 1_000} s` : 'no connection'
  const advice = 'name the stock service with --rest-url'
  return new StockError('NODE_UNREACHABLE', `the stock service at ${origin} cannot be reached (${reason}): ${advice}`, {
    url: origin,
  })
}

function noService({ origin }: URL, reason: string): StockError {
  const message = `${origin} does not answer as the stock service does: ${reason}; name another with --rest-url`
  return new StockError('NODE_ERROR', message, { url: origin })
}
