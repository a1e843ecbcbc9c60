import type { FoundLog } from '../../../chain/receipt/log-query.ts'
import type { BoundedCache } from '../../../primitives/bounded-cache.ts'
import type { Hash } from '../../../primitives/hex.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { logGroupKey } from '../encoding/keys.ts'
import { LOGS_PER_GROUP, missingLog, readLogGroup, type StoredLog } from '../encoding/log-values.ts'
import type { TableName } from '../tables.ts'
import type { BlockPlace, BlockPlaces } from './block-metadata.ts'

/** Logs of one block, by group; one is absent until a log of it is asked for. */
export interface DecodedLogs {
  readonly groups: (readonly FoundLog[] | undefined)[]
  /** In memory, about. */
  bytes: number
}

/** Named by block hash, so that what a reorganisation replaced cannot be mistaken for what replaced it. */
export type DecodedLogCache = BoundedCache<Hash, DecodedLogs>

interface Parts {
  readonly reader: KeyValueReader<TableName>
  readonly places: BlockPlaces
  readonly decoded: DecodedLogCache
}

/** Strings and objects of a log besides its topics and data, about. */
const LOG_BYTES = 500
const TOPIC_BYTES = 88

/** The logs of one snapshot, one by one. A group is decoded once, as long as it is remembered. */
export class FoundLogs {
  readonly #parts: Parts
  #place: BlockPlace | undefined
  #logs: DecodedLogs = { groups: [], bytes: 0 }

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** @throws CorruptValueError also when there is no such log */
  log(number: number, logIndex: number): FoundLog {
    if (number !== this.#place?.blockNumber) this.#open(number)
    const group = Math.floor(logIndex / LOGS_PER_GROUP)
    const found = (this.#logs.groups[group] ?? this.#decode(number, group))[logIndex % LOGS_PER_GROUP]
    if (found === undefined) throw missingLog(logGroupKey(number, group), logIndex)
    return found
  }

  #open(number: number): void {
    this.#place = this.#parts.places.of(number)
    this.#logs = this.#parts.decoded.get(this.#place.blockHash) ?? { groups: [], bytes: 0 }
  }

  #decode(number: number, group: number): readonly FoundLog[] {
    const { reader, decoded } = this.#parts
    const key = logGroupKey(number, group)
    const value = reader.peek('logs', key)
    if (value === undefined) return []
    const place = this.#place!
    const first = group * LOGS_PER_GROUP
    const logs = readLogGroup({ key, value }).map((stored, index) => foundAt(place, stored, first + index))
    this.#logs.groups[group] = logs
    this.#logs.bytes += sizeOf(logs)
    decoded.set(place.blockHash, this.#logs, this.#logs.bytes)
    return logs
  }
}

export function foundAt(place: BlockPlace, stored: StoredLog, logIndex: number): FoundLog {
  return {
    log: stored.log,
    blockNumber: place.blockNumber,
    blockHash: place.blockHash,
    blockTimestamp: place.blockTimestamp,
    transactionHash: stored.transactionHash,
    transactionIndex: stored.transactionIndex,
    logIndex,
  }
}

function sizeOf(logs: readonly FoundLog[]): number {
  let bytes = 0
  for (const { log } of logs) bytes += LOG_BYTES + TOPIC_BYTES * log.topics.length + log.data.length
  return bytes
}
