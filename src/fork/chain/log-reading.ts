import type { Log } from '../../chain/receipt/log.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import { matchesLog } from '../../chain/receipt/log-query.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { hashValue, invalid, listValue, ReplyObject } from '../source/reply-fields.ts'
import { LOG_MEMBERS } from './foreign-data.ts'

export interface BlockRange {
  /** Inclusive. */
  readonly from: number
  /** Inclusive. */
  readonly to: number
}

/** The parameters of `eth_getLogs`. */
export function logParams({ addresses, topics }: LogQuery, { from, to }: BlockRange): readonly unknown[] {
  return [
    {
      fromBlock: toQuantity(from),
      toBlock: toQuantity(to),
      ...(addresses.length > 0 && { address: addresses }),
      ...(topics.length > 0 && { topics: topics.map((wanted) => (wanted.length === 0 ? null : wanted)) }),
    },
  ]
}

/** A log of the upstream; only newer nodes name the time of its block. */
export type LogReading = Omit<LogMatch, 'blockTimestamp'> & { readonly blockTimestamp: bigint | undefined }

/**
 * The logs in a reply, in order of the chain.
 *
 * @throws ForkError FORK_DATA_INVALID for logs outside of the query or out of order
 */
export function readLogReplies(result: unknown, query: LogQuery, { from, to }: BlockRange): readonly LogReading[] {
  const subject = `the logs of blocks ${from} to ${to}`
  const logs = listValue(result, subject).map((item) => readLogReply(new ReplyObject(item, `a log of ${subject}`)))
  for (const [index, { log, blockNumber, logIndex }] of logs.entries()) {
    const previous = logs[index - 1]
    if (blockNumber < from || blockNumber > to || !matchesLog(query, log))
      throw invalid(subject, 'a log of another query')
    const isAfter =
      previous === undefined ||
      blockNumber > previous.blockNumber ||
      (blockNumber === previous.blockNumber && logIndex > previous.logIndex)
    if (!isAfter) throw invalid(subject, 'they are not in the order of the chain')
  }
  return logs
}

/** A log without its position, with the members that only the upstream knows. */
export function readLogMembers(reply: ReplyObject): Log {
  const foreign = reply.without(LOG_MEMBERS)
  return {
    address: reply.address('address'),
    topics: reply.list('topics').map((topic) => hashValue(topic, 'a topic')),
    data: reply.bytes('data'),
    ...(foreign && { foreign }),
  }
}

function readLogReply(reply: ReplyObject): LogReading {
  return {
    log: readLogMembers(reply),
    blockNumber: reply.number('blockNumber'),
    blockHash: reply.hash('blockHash'),
    blockTimestamp: reply.optionalQuantity('blockTimestamp'),
    transactionHash: reply.hash('transactionHash'),
    transactionIndex: reply.number('transactionIndex'),
    logIndex: reply.number('logIndex'),
  }
}
