import { logsOfBlock } from '../../chain/block-logs.ts'
import type { FoundLog } from '../../chain/log-query.ts'
import { type LogFilter, logFilter } from '../codecs/log-filter.ts'
import type { ReadContext } from '../context.ts'
import { encodeLog } from '../encode/log.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { logRange } from '../log-range.ts'
import { defineMethod, required } from '../method.ts'
import { arrayOf, LOG_SCHEMA } from '../schemas.ts'

export const eth_getLogs = defineMethod({
  name: 'eth_getLogs',
  summary: 'Logs that match a filter. A range may end at `pending`: sealed and pre-confirmed logs of one instant.',
  params: [required('filter', logFilter)],
  result: arrayOf(LOG_SCHEMA),
  cost: 20,
  example: { params: [{ fromBlock: 'pending', toBlock: 'pending' }], result: [] },
  handle: ([filter], context) => encodeFound(findLogs(filter, context), context),
})

function findLogs(filter: LogFilter, { view, options, now }: ReadContext): Iterable<FoundLog> {
  if (filter.blockHash !== undefined) {
    if (options.dialect === 'ethereum' && (filter.fromBlock ?? filter.toBlock) !== undefined) {
      throw invalidParams('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
    }
    const found = view.block({ kind: 'hash', hash: filter.blockHash, requireCanonical: false })
    if (found === undefined) throw new RpcError(RPC_CODES.server, 'unknown block')
    return logsOfBlock(filter, found.block, found.receipts)
  }
  const range = logRange(filter, view)
  switch (range.kind) {
    case 'reversed':
      throw invalidParams('invalid block range params')
    case 'beyondHead':
      throw invalidParams('block range extends beyond current head block')
    case 'range':
      if (options.maxLogRange > 0 && range.to - range.from + 1 > options.maxLogRange) {
        throw invalidParams(`exceed maximum block range ${options.maxLogRange}`)
      }
      return view.logs(filter, range.from, range.to, deadline(now, options.logTimeout))
  }
}

/** Ends a search that takes too long: what is rare in a long chain is found through the index, what is not is too much. */
function deadline(now: () => number, limit: number): () => void {
  const end = now() + limit
  return () => {
    if (now() > end) {
      throw new RpcError(
        RPC_CODES.timedOut,
        `query takes longer than ${limit} ms, retry with a smaller range or more criteria`,
      )
    }
  }
}

/** Bounded: an answer must not take the node's memory. */
function encodeFound(found: Iterable<FoundLog>, { options }: ReadContext): JsonObject[] {
  const logs: JsonObject[] = []
  for (const log of found) {
    if (logs.length >= options.maxLogs) {
      throw invalidParams(
        `query exceeds max results ${options.maxLogs}, retry with a range that ends before block ${log.blockNumber}`,
      )
    }
    logs.push(encodeLog(log))
  }
  return logs
}

function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message)
}
