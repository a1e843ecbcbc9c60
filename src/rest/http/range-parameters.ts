import { type Address, type Hash, toAddress, toHash } from '../../primitives/hex.ts'
import { MAX_PAGE_ENTRIES } from './list-parameters.ts'
import type { Parameter } from './parameter.ts'
import { digestOf } from './representation.ts'
import { badQuery } from './status.ts'

/** A place in the chain: a block, or a time in Unix seconds. */
export type ChainPosition =
  | { readonly kind: 'block'; readonly number: number }
  | { readonly kind: 'time'; readonly seconds: bigint }

/** The distance of two points of a history, in blocks or in seconds. */
export interface HistoryStep {
  readonly unit: 'block' | 'second'
  /** At least 1. */
  readonly count: number
}

const BLOCK_PATTERN = '(0|[1-9][0-9]{0,14}|0x(0|[1-9a-fA-F][0-9a-fA-F]{0,12}))'
const BLOCK = new RegExp(`^${BLOCK_PATTERN}$`)
const TIME_PATTERN = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?'
const TIME = new RegExp(`^${TIME_PATTERN}$`)
const POSITION_FORM = 'must be a number of a block as 42 or 0x2a, or a time as 2026-01-31T14:30:00Z or 2026-01-31'

function position(name: string, description: string, example: string): Parameter<ChainPosition | undefined> {
  return {
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string', pattern: `^(${BLOCK_PATTERN}|${TIME_PATTERN})$` },
    example,
    read(text) {
      if (text === undefined) return undefined
      if (BLOCK.test(text)) return { kind: 'block', number: Number(text) }
      if (!TIME.test(text)) throw badQuery(name, POSITION_FORM)
      const time = new Date(text)
      // A day that its month lacks would be one of the next month.
      if (time.toISOString().slice(0, 10) !== text.slice(0, 10)) throw badQuery(name, 'is a day that its month lacks')
      const seconds = BigInt(time.getTime() / 1_000)
      if (seconds < 0n) throw badQuery(name, 'must not be before 1970')
      return { kind: 'time', seconds }
    },
  }
}

export const from = position(
  'from',
  'The first block, by its number, or a time: the first block at or after it. Default: the first one that can be read.',
  '0',
)
export const to = position(
  'to',
  'The last block, by its number, or a time: the last block at or before it. Default, and at most: the block of the ' +
    'response.',
  '2026-01-31T14:30:00Z',
)

const STEP_PATTERN = '^[1-9][0-9]{0,8}[smhd]?$'
const STEP = new RegExp(STEP_PATTERN)
const SECONDS_OF: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

export const every: Parameter<HistoryStep> = {
  name: 'every',
  in: 'query',
  required: false,
  description:
    'The distance of two points: a number of blocks, or a time as `30s`, `5m`, `1h` or `1d`. A time gives ' +
    'samples: at `from`, or the time of that block, and every so much time after it, each with the state of the newest ' +
    'block at or before it. All times before block 1 have the state of block 0: only the last of them is a sample.',
  schema: { type: 'string', pattern: STEP_PATTERN, default: '1' },
  example: '1h',
  read(text = '1') {
    if (!STEP.test(text)) {
      throw badQuery('every', 'must be a number of blocks of at least 1, or a time of at least 1s: 10, 30s, 5m, 1h, 1d')
    }
    const seconds = SECONDS_OF[text.at(-1)!]
    if (seconds === undefined) return { unit: 'block', count: Number(text) }
    return { unit: 'second', count: Number(text.slice(0, -1)) * seconds }
  },
}

const SIZE_PATTERN = '^(0|[1-9][0-9]{0,8})$'
const SIZE = new RegExp(SIZE_PATTERN)

/** Entries of a page of a list that is never returned as a whole. */
export const boundedPageSize: Parameter<number> = {
  name: 'page_size',
  in: 'query',
  required: false,
  description:
    `Maximum number of entries on the page; 0, the default, and numbers above ${MAX_PAGE_ENTRIES} stand for ` +
    `${MAX_PAGE_ENTRIES}. A page may have fewer although another one follows.`,
  schema: { type: 'string', pattern: SIZE_PATTERN, default: '0' },
  example: '100',
  read(text = '0') {
    if (!SIZE.test(text)) throw badQuery('page_size', `must be a number from 1 to ${MAX_PAGE_ENTRIES}`)
    return Math.min(Number(text) || MAX_PAGE_ENTRIES, MAX_PAGE_ENTRIES)
  },
}

/** The place where a page of a long list begins. */
export interface PageCursor<P> {
  readonly place: P
  /** The block of the first page, at which all others are read. */
  readonly block: Hash
  /** Digest of the request of the first page. */
  readonly digest: string
}

/** A log in the chain. */
export interface LogPlace {
  readonly blockNumber: number
  readonly logIndex: number
}

/** The text form of a place in a list. */
interface PlaceForm<P> {
  readonly pattern: string
  readonly example: string
  parse(text: string): P
}

function pageCursor<P>({ pattern, example, parse }: PlaceForm<P>): Parameter<PageCursor<P> | undefined> {
  const full = `^(${pattern})-(0x[0-9a-f]{64})-([0-9a-f]{16})$`
  const cursor = new RegExp(full)
  return {
    name: 'page_token',
    in: 'query',
    required: false,
    description:
      '`next_page_token` of the page before, with the same other parameters. All pages are read at the block of the ' +
      'first one, whatever `block` says.',
    schema: { type: 'string', pattern: full },
    example: `${example}-0x${'ab'.repeat(32)}-0123456789abcdef`,
    read(text) {
      if (text === undefined) return undefined
      if (!cursor.test(text)) throw badQuery('page_token', 'must be the next_page_token of the page before')
      const [digest = '', block = '', ...place] = text.split('-').reverse()
      return { place: parse(place.reverse().join('-')), block: toHash(block), digest }
    },
  }
}

/** Pages of logs: the log with which a page begins. */
export const logCursor = pageCursor<LogPlace>({
  pattern: '(0|[1-9][0-9]{0,14})\\.(0|[1-9][0-9]{0,8})',
  example: '105.3',
  parse(text) {
    const [blockNumber, logIndex] = text.split('.').map(Number)
    return { blockNumber: blockNumber!, logIndex: logIndex! }
  },
})

/** Pages of points: block number or Unix seconds of the first point. */
export const pointCursor = pageCursor<bigint>({
  pattern: '0|[1-9][0-9]{0,19}',
  example: '1000',
  parse: BigInt,
})

/** Pages of accounts: the account with which a page begins. */
export const accountCursor = pageCursor<Address>({
  pattern: '0x[0-9a-f]{40}',
  example: `0x57${'00'.repeat(18)}01`,
  parse: toAddress,
})

/** @param place as the cursor's `parse` reads it */
export function formatPageCursor(place: string | number | bigint, block: Hash, digest: string): string {
  return `${place}-${block}-${digest}`
}

/** Digest of the parameters that all pages of a list share. */
export function requestDigest(parameters: readonly unknown[]): string {
  return digestOf(JSON.stringify(parameters, (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item)))
}

/** @throws StatusError `invalidArgument` for a cursor of another request */
export function checkDigest(cursor: PageCursor<unknown> | undefined, digest: string): void {
  if (cursor === undefined || cursor.digest === digest) return
  throw badQuery('page_token', 'is of another request, or of an earlier registry: begin without it')
}
