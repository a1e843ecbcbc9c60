import type { Address, Hash } from '../primitives/hex.ts'
import type { Log } from './log.ts'

/** What a log must have; every given criterion holds. */
export interface LogQuery {
  /** Any of these; empty: any address. */
  readonly addresses: readonly Address[]
  /** By position: any of these; an empty position matches any topic that is there. */
  readonly topics: readonly (readonly Hash[])[]
}

/** A log with its place in the chain. */
export interface FoundLog {
  readonly log: Log
  readonly blockNumber: number
  readonly blockHash: Hash
  /** Unix seconds. */
  readonly blockTimestamp: bigint
  readonly transactionHash: Hash
  readonly transactionIndex: number
  /** Position in the block. */
  readonly logIndex: number
}

/**
 * Whether a log meets all criteria. A query with more topic positions than the log has topics does not match.
 *
 * @example matchesLog({ addresses: [], topics: [] }, log) // true
 */
export function matchesLog(query: LogQuery, log: Log): boolean {
  if (query.addresses.length > 0 && !query.addresses.includes(log.address)) return false
  if (query.topics.length > log.topics.length) return false
  return query.topics.every((wanted, position) => wanted.length === 0 || wanted.includes(log.topics[position]!))
}
