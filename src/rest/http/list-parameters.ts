import { type Hash, toHash } from '../../primitives/hex.ts'
import type { Parameter } from './parameter.ts'
import { badQuery, StatusError } from './status.ts'

/** Maximum number of entries on a page. */
export const MAX_PAGE_ENTRIES = 1_000

/** The place where a page begins. */
export interface PageToken {
  /** The block of the first page, at which all others are read. */
  readonly block: Hash
  /** Entries before the page. */
  readonly offset: number
  /** Digest of what the pages list: the query and the registry. */
  readonly digest: string
}

const TOKEN_PATTERN = '^.{1,256}$'
const TOKEN = new RegExp(TOKEN_PATTERN)

/** Names a token: its address, its symbol or its ISIN. */
export const token: Parameter<string> = {
  name: 'token',
  in: 'path',
  required: true,
  description:
    'The address of a token, or the symbol or ISIN of a listed one. Symbols and ISINs match exactly, upper and lower case included.',
  schema: { type: 'string', pattern: TOKEN_PATTERN },
  example: 'QLBKFd',
  read(text = '') {
    if (TOKEN.test(text)) return text
    throw new StatusError('invalidArgument', 'token must be an address, or a symbol or ISIN of up to 256 characters')
  },
}

function filter(name: string, description: string, example: string): Parameter<string | undefined> {
  return {
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string', pattern: TOKEN_PATTERN },
    example,
    read(text) {
      if (text === undefined || TOKEN.test(text)) return text
      throw badQuery(name, 'must have 1 to 256 characters')
    },
  }
}

export const symbol = filter('symbol', 'Only tokens with exactly this symbol.', 'QLBKFd')
export const isin = filter('isin', 'Only tokens with exactly this ISIN.', 'ZZ0000QLBKF6')
/** Names the token of an event stream. */
export const changedToken = filter(
  'contract_address',
  'Only changes of this token: its address, or the symbol or ISIN of one that is listed at `latest`.',
  '0x5700000000000000000000000000000000000001',
)

const SIZE_PATTERN = '^(0|[1-9][0-9]{0,8})$'
const SIZE = new RegExp(SIZE_PATTERN)

/** `undefined`: all entries. */
export const pageSize: Parameter<number | undefined> = {
  name: 'page_size',
  in: 'query',
  required: false,
  description: `Maximum number of entries on the page; above ${MAX_PAGE_ENTRIES} it is ${MAX_PAGE_ENTRIES}. 0, the default, stands for all entries, or for ${MAX_PAGE_ENTRIES} with \`page_token\`.`,
  schema: { type: 'string', pattern: SIZE_PATTERN, default: '0' },
  example: '100',
  read(text) {
    if (text === undefined || text === '0') return undefined
    if (SIZE.test(text)) return Math.min(Number(text), MAX_PAGE_ENTRIES)
    throw badQuery('page_size', `must be a number from 1 to ${MAX_PAGE_ENTRIES}`)
  },
}

const PAGE_TOKEN_PATTERN = '^[1-9][0-9]{0,8}-0x[0-9a-f]{64}-[0-9a-f]{16}$'
const PAGE_TOKEN = new RegExp(PAGE_TOKEN_PATTERN)

export const pageToken: Parameter<PageToken | undefined> = {
  name: 'page_token',
  in: 'query',
  required: false,
  description:
    '`next_page_token` of the page before. All pages are read at the block of the first one, whatever `block` says.',
  schema: { type: 'string', pattern: PAGE_TOKEN_PATTERN },
  example: `100-0x${'ab'.repeat(32)}-0123456789abcdef`,
  read(text) {
    if (text === undefined) return undefined
    if (!PAGE_TOKEN.test(text)) throw badQuery('page_token', 'must be the next_page_token of the page before')
    const [offset = '', block = '', digest = ''] = text.split('-')
    return { offset: Number(offset), block: toHash(block), digest }
  },
}

/** @returns the text of a page token */
export function formatPageToken({ offset, block, digest }: PageToken): string {
  return `${offset}-${block}-${digest}`
}
