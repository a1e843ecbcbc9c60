import { logsOfBlock } from '../../chain/receipt/block-logs.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import { type LogFilter, queryInDialect } from '../codecs/log-filter.ts'
import type { ReadContext } from '../context/reading.ts'
import { logJson } from '../format/log-json.ts'
import { DEFAULT_HEIGHT, logRange, reversedRange } from '../logs/log-range.ts'
import { LogResponse } from '../logs/log-response.ts'
import { type EncodedJson, encodedArray } from '../protocol/encoded-json.ts'
import { headerNotFound, RPC_CODES, RpcError } from '../protocol/errors.ts'
import { searchLogRange } from './log-search.ts'

/**
 * The logs that a filter object selects, in one view.
 *
 * @throws RpcError -32000 for an unknown block, -32602 for an invalid range or too many logs
 */
export async function findLogs(written: LogFilter, context: ReadContext): Promise<EncodedJson> {
  const { view, options, conventions, memoizedLogs } = context
  const filter = queryInDialect(written, options.dialect)
  if (filter.blockHash !== undefined) {
    const conflict =
      (filter.fromBlock ?? filter.toBlock) === undefined ? undefined : conventions.logs.hashBesideRange(options.dialect)
    if (conflict !== undefined) throw invalidParams(conflict)
    const found = view.block({ kind: 'hash', hash: filter.blockHash, requireCanonical: false })
    if (found === undefined) throw new RpcError(...conventions.logs.unknownBlock)
    const { number } = found.block.header
    const write = found.status === 'sealed' ? (log: LogMatch) => memoizedLogs.text(log) : logJson
    const logs = new LogResponse({ ...options, from: number }, { write })
    for (const log of logsOfBlock(filter, found.block, found.receipts)) logs.add(log)
    return logs.json
  }
  const range = logRange(filter, view, conventions.logs)
  switch (range.kind) {
    case 'reversed':
      if (conventions.logs.clampsRanges) return encodedArray([])
      throw reversedRange(filter.fromBlock ?? DEFAULT_HEIGHT, filter.toBlock ?? DEFAULT_HEIGHT)
    case 'beyondHead':
      if (conventions.logs.beyondHead === 'no logs') return encodedArray([])
      if (conventions.logs.beyondHead === 'unknown block') throw headerNotFound(range.from, view.head.sealed.latest)
      throw invalidParams('block range extends beyond current head block')
    case 'range':
      return logsInRange(filter, range, context)
  }
}

/** @throws RpcError -32602 when the range is wider than allowed, or has too many logs */
export async function logsInRange(
  query: LogQuery,
  range: { readonly from: number; readonly to: number },
  context: ReadContext,
): Promise<EncodedJson> {
  const { maxLogBlocks } = context.options
  if (maxLogBlocks > 0 && range.to - range.from + 1 > maxLogBlocks) {
    throw invalidParams(`query exceeds max block range ${maxLogBlocks}`)
  }
  return searchLogRange(query, range, context)
}

function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message)
}
