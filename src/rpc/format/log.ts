import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { withForeign } from './foreign-members.ts'

/** The log object, with `blockTimestamp`, and with `blockTimestampMs` in a Denim block. */
export function formatLog(found: LogMatch, removed = false): JsonRecord {
  const record = {
    address: found.log.address,
    topics: found.log.topics,
    data: bytesToHex(found.log.data),
    blockNumber: toQuantity(found.blockNumber),
    transactionHash: found.transactionHash,
    transactionIndex: toQuantity(found.transactionIndex),
    blockHash: found.blockHash,
    blockTimestamp: toQuantity(found.blockTimestamp),
    blockTimestampMs: found.blockTimestampMs === undefined ? undefined : toQuantity(found.blockTimestampMs),
    logIndex: toQuantity(found.logIndex),
    removed,
  }
  return withForeign(record, found.log.foreign)
}
