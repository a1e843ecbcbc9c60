import type { Block } from '../block/block.ts'
import { blockMilliseconds } from '../system-transactions/base-time.ts'
import { type LogMatch, type LogQuery, matchesLog, mayMatchIn } from './log-query.ts'
import type { Receipt } from './receipt.ts'

/** Matching logs of one block in order, from transaction `first` on (the first that a flashblock added). */
export function* logsOfBlock(
  query: LogQuery,
  block: Block,
  receipts: readonly Receipt[],
  first = 0,
): Iterable<LogMatch> {
  if (!mayMatchIn(query, block.header.logsBloom)) return
  const blockTimestampMs = blockMilliseconds(block)
  for (let index = first; index < receipts.length; index++) {
    const receipt = receipts[index]!
    for (const [position, log] of receipt.logs.entries()) {
      if (!matchesLog(query, log)) continue
      yield {
        log,
        blockNumber: block.header.number,
        blockHash: block.hash,
        blockTimestamp: block.header.timestamp,
        blockTimestampMs,
        transactionHash: block.transactions[index]!.hash,
        transactionIndex: index,
        logIndex: receipt.firstLogIndex + position,
      }
    }
  }
}
