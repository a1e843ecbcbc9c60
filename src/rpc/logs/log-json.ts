import type { Log } from '../../chain/receipt/log.ts'
import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'

/** Writes a log object as JSON. */
export type LogWriter = (found: LogMatch) => string

/**
 * Writes logs of one block as `JSON.stringify(encodeLog(found))` does: what they say of the block is written once. No
 * member needs escaping, all are hex.
 */
export function blockLogWriter(block: Pick<LogMatch, 'blockNumber' | 'blockHash' | 'blockTimestamp'>): LogWriter {
  const afterData = `","blockNumber":"${toQuantity(block.blockNumber)}","transactionHash":"`
  const time = toQuantity(block.blockTimestamp)
  const afterIndex = `","blockHash":"${block.blockHash}","blockTimestamp":"${time}","logIndex":"`
  return ({ log, transactionHash, transactionIndex, logIndex }) => {
    // Joined, not concatenated: V8 would keep a tree of the parts for as long as the text is kept.
    const parts = ['{"address":"', log.address]
    let separator = '","topics":["'
    for (const topic of log.topics) {
      parts.push(separator, topic)
      separator = '","'
    }
    parts.push(log.topics.length === 0 ? '","topics":[],"data":"' : '"],"data":"', bytesToHex(log.data), afterData)
    parts.push(transactionHash, '","transactionIndex":"', toQuantity(transactionIndex), afterIndex)
    parts.push(toQuantity(logIndex), '","removed":false}')
    return parts.join('')
  }
}

/** The same for a log that comes alone. */
export function logJson(found: LogMatch): string {
  return blockLogWriter(found)(found)
}

/** Of a log without topics and data, every number of which has one digit; and of a topic with what separates it. */
const LEAST_LOG = 348
const LEAST_TOPIC = 69

/** Characters that a log has as JSON, at least: wherever it will stand. */
export function minLogLength({ topics, data }: Log): number {
  return LEAST_LOG + LEAST_TOPIC * topics.length + 2 * data.length
}
