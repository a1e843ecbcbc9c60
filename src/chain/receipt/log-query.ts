import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import { type BloomBits, bloomBits, bloomIncludes } from './bloom.ts'
import type { Log } from './log.ts'

/** A log filter; all criteria apply. */
export interface LogQuery {
  /** Any of these addresses; empty: any address. */
  readonly addresses: readonly Address[]
  /** By position: any of these topics; empty: any topic, but one must be present. */
  readonly topics: readonly (readonly Hash[])[]
}

/** A log with its position in the chain. */
export interface LogMatch {
  readonly log: Log
  readonly blockNumber: number
  readonly blockHash: Hash
  /** Unix seconds. */
  readonly blockTimestamp: bigint
  /** Unix milliseconds of a Denim block. Absent where they are unknown, and on other chains. */
  readonly blockTimestampMs?: bigint | undefined
  readonly transactionHash: Hash
  readonly transactionIndex: number
  /** Index in the block. */
  readonly logIndex: number
}

/**
 * Whether a log meets all criteria. A query with more topic positions than the log has topics does not match.
 *
 * @example matchesLog({ addresses: [], topics: [] }, log) // true
 */
export function matchesLog(query: LogQuery, log: Log): boolean {
  return matches(compiled(query), log)
}

/** A predicate for many logs: the query is compiled once. */
export function logMatcher(query: LogQuery): (log: Log) => boolean {
  const criteria = compiled(query)
  return (log) => matches(criteria, log)
}

function matches({ addresses, topics }: CompiledQuery, log: Log): boolean {
  if (topics.length > log.topics.length) return false
  if (addresses !== undefined && !addresses.has(log.address)) return false
  for (let position = 0; position < topics.length; position++) {
    const wanted = topics[position]
    if (wanted !== undefined && !wanted.has(log.topics[position]!)) return false
  }
  return true
}

/**
 * Whether a block or receipt with this bloom may contain a matching log.
 *
 * @param bloom of a block or a receipt
 */
export function mayMatchIn(query: LogQuery, bloom: Bytes): boolean {
  const criteria = compiled(query)
  criteria.blooms ??= bloomsOf(query)
  return criteria.blooms.every((alternatives) => alternatives.some((wanted) => bloomIncludes(bloom, wanted)))
}

/** Number of addresses and topics that a query names. */
export function criteriaCount({ addresses, topics }: LogQuery): number {
  return topics.reduce((sum, wanted) => sum + wanted.length, addresses.length)
}

interface CompiledQuery {
  /** `undefined`: any address. */
  readonly addresses: ReadonlySet<Address> | undefined
  readonly topics: readonly (ReadonlySet<Hash> | undefined)[]
  /** Per criterion the bloom bits of each alternative; computed on the first test of a bloom. */
  blooms: readonly (readonly BloomBits[])[] | undefined
}

/** Queries compiled into sets: a filter may name thousands of values and is matched against every log. */
const COMPILED = new WeakMap<LogQuery, CompiledQuery>()

function compiled(query: LogQuery): CompiledQuery {
  const cached = COMPILED.get(query)
  if (cached !== undefined) return cached
  const made = { addresses: setOf(query.addresses), topics: query.topics.map(setOf), blooms: undefined }
  COMPILED.set(query, made)
  return made
}

function setOf<T>(values: readonly T[]): ReadonlySet<T> | undefined {
  return values.length === 0 ? undefined : new Set(values)
}

function bloomsOf({ addresses, topics }: LogQuery): readonly (readonly BloomBits[])[] {
  return [addresses, ...topics].filter((values) => values.length > 0).map((values) => values.map(bloomBits))
}
