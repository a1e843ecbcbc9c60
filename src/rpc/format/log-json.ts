import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { denimTimeOf } from '../../chain/forks/denim-schedule.ts'
import type { Log } from '../../chain/receipt/log.ts'
import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { formatLog } from './log.ts'

/** Writes a log object as JSON. */
export type LogWriter = (found: LogMatch) => string

/**
 * Encodes logs of one block as `JSON.stringify(formatLog(found))` does; members of the block are encoded once. No
 * member of this chain needs escaping: all are hex.
 */
export function blockLogWriter(
  block: Pick<LogMatch, 'blockNumber' | 'blockHash' | 'blockTimestamp' | 'blockTimestampMs'>,
): LogWriter {
  const afterData = `","blockNumber":"${toQuantity(block.blockNumber)}","transactionHash":"`
  const time = toQuantity(block.blockTimestamp)
  const { blockTimestampMs: ms } = block
  const milliseconds = ms === undefined ? '' : `","blockTimestampMs":"${toQuantity(ms)}`
  const afterIndex = `","blockHash":"${block.blockHash}","blockTimestamp":"${time}${milliseconds}","logIndex":"`
  return (found) => {
    const { log, transactionHash, transactionIndex, logIndex } = found
    if (log.foreign !== undefined) return JSON.stringify(formatLog({ ...found, blockTimestampMs: ms }))
    // `join` instead of concatenation: V8 would keep the tree of parts as long as the text.
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

/** A log with the milliseconds of its Denim block, which those of the index lack. */
export function timedLog(found: LogMatch, chain: Pick<ChainConfig, 'layer2'>): LogMatch {
  if (chain.layer2?.denim === undefined || found.blockTimestampMs !== undefined) return found
  return { ...found, blockTimestampMs: denimTimeOf(found.blockNumber, chain)?.milliseconds }
}

/** Encodes a single log. */
export function logJson(found: LogMatch): string {
  return blockLogWriter(found)(found)
}

/** Length of a log without topics and data whose numbers have one digit each, and of a topic with its separators. */
const LEAST_LOG = 348
const LEAST_TOPIC = 69

/** Lower bound of the characters that a log takes as JSON. */
export function minLogLength({ topics, data }: Log): number {
  return LEAST_LOG + LEAST_TOPIC * topics.length + 2 * data.length
}
