import type { LogMatch } from '../../../chain/receipt/log-query.ts'
import type { BoundedCache } from '../../../primitives/bounded-cache.ts'
import type { Hash } from '../../../primitives/hex.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { logGroupKey } from '../encoding/keys.ts'
import { LOGS_PER_GROUP, missingLog, readLogGroup, type StoredLog } from '../encoding/log-values.ts'
import type { TableName } from '../encoding/tables.ts'
import type { BlockMetadata, BlockMetadataReader } from './block-metadata.ts'

/** Logs of one block by group; a group is absent until read. */
export interface DecodedLogs {
  readonly groups: (readonly LogMatch[] | undefined)[]
  /** Estimated memory. */
  bytes: number
}

/** Keyed by block hash, so that a reorg cannot confuse blocks. */
export type DecodedLogCache = BoundedCache<Hash, DecodedLogs>

interface Deps {
  readonly reader: KeyValueReader<TableName>
  readonly blocks: BlockMetadataReader
  readonly decoded: DecodedLogCache
}

/** Estimated overhead of a log besides its topics and data. */
const LOG_BYTES = 500
const TOPIC_BYTES = 88

/** Random access to the logs of one snapshot through a cache of decoded groups. */
export class LogReader {
  readonly #deps: Deps
  #block: BlockMetadata | undefined
  #logs: DecodedLogs = { groups: [], bytes: 0 }

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** @throws CorruptValueError also when there is no such log */
  log(number: number, logIndex: number): LogMatch {
    if (number !== this.#block?.blockNumber) this.#open(number)
    const group = Math.floor(logIndex / LOGS_PER_GROUP)
    const found = (this.#logs.groups[group] ?? this.#decode(number, group))[logIndex % LOGS_PER_GROUP]
    if (found === undefined) throw missingLog(logGroupKey(number, group), logIndex)
    return found
  }

  #open(number: number): void {
    this.#block = this.#deps.blocks.of(number)
    this.#logs = this.#deps.decoded.get(this.#block.blockHash) ?? { groups: [], bytes: 0 }
  }

  #decode(number: number, group: number): readonly LogMatch[] {
    const { reader, decoded } = this.#deps
    const key = logGroupKey(number, group)
    const value = reader.peek('logs', key)
    if (value === undefined) return []
    const block = this.#block!
    const first = group * LOGS_PER_GROUP
    const logs = readLogGroup({ key, value }).map((stored, index) => matchAt(block, stored, first + index))
    this.#logs.groups[group] = logs
    this.#logs.bytes += sizeOf(logs)
    decoded.set(block.blockHash, this.#logs, this.#logs.bytes)
    return logs
  }
}

export function matchAt(block: BlockMetadata, stored: StoredLog, logIndex: number): LogMatch {
  return {
    log: stored.log,
    blockNumber: block.blockNumber,
    blockHash: block.blockHash,
    blockTimestamp: block.blockTimestamp,
    transactionHash: stored.transactionHash,
    transactionIndex: stored.transactionIndex,
    logIndex,
  }
}

function sizeOf(logs: readonly LogMatch[]): number {
  let bytes = 0
  for (const { log } of logs) bytes += LOG_BYTES + TOPIC_BYTES * log.topics.length + log.data.length
  return bytes
}
