import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import { millisecondsBy } from '../../chain/system-transactions/base-time.ts'
import type { ChainBelow } from '../../state/chain-below.ts'
import type { Snapshot } from '../../state/snapshot.ts'

type LogSource = Pick<Snapshot, 'logs' | 'transactionAt'>
type Search = readonly [query: LogQuery, from: number, to: number, checkpoint?: (() => void) | undefined]

/** Logs of stored blocks. On a fork they have the milliseconds of their blocks, which do not follow from numbers. */
export function storedLogs(base: LogSource, below: ChainBelow | undefined, ...search: Search): Iterable<LogMatch> {
  const logs = base.logs(...search)
  return below === undefined ? logs : timedLogs(base, logs)
}

function* timedLogs(base: LogSource, logs: Iterable<LogMatch>): Iterable<LogMatch> {
  let number: number | undefined
  let blockTimestampMs: bigint | undefined
  for (const found of logs) {
    if (found.blockNumber !== number) {
      number = found.blockNumber
      const second = base.transactionAt({ blockNumber: number, index: 1 })
      blockTimestampMs = millisecondsBy(found.blockTimestamp, second?.transaction)
    }
    yield { ...found, blockTimestampMs }
  }
}
