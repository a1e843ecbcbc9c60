import { logsOfBlock } from '../../chain/receipt/block-logs.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import { type LogFilter, queryInDialect } from '../codecs/log-filter.ts'
import type { ReadContext } from '../context.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { type EncodedJson, encodedArray } from '../memoized/encoded-json.ts'
import { logJson } from './log-json.ts'
import { DEFAULT_HEIGHT, logRange, reversedRange } from './log-range.ts'
import { LogResponse } from './log-response.ts'
import { searchLogRange } from './log-search.ts'

/**
 * The logs that a filter object selects, in one view.
 *
 * @throws RpcError -32000 for an unknown block, -32602 for an invalid range or too many logs
 */
export async function findLogs(written: LogFilter, context: ReadContext): Promise<EncodedJson> {
  const { view, options, memoizedLogs } = context
  const filter = queryInDialect(written, options.dialect)
  if (filter.blockHash !== undefined) {
    if (options.dialect === 'ethereum' && (filter.fromBlock ?? filter.toBlock) !== undefined) {
      throw invalidParams('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
    }
    const found = view.block({ kind: 'hash', hash: filter.blockHash, requireCanonical: false })
    if (found === undefined) throw new RpcError(RPC_CODES.server, 'unknown block')
    const { number } = found.block.header
    const write = found.status === 'sealed' ? (log: LogMatch) => memoizedLogs.text(log) : logJson
    const logs = new LogResponse({ ...options, from: number }, { write })
    for (const log of logsOfBlock(filter, found.block, found.receipts)) logs.add(log)
    return logs.json
  }
  const range = logRange(filter, view)
  switch (range.kind) {
    case 'reversed':
      throw reversedRange(filter.fromBlock ?? DEFAULT_HEIGHT, filter.toBlock ?? DEFAULT_HEIGHT)
    case 'beyondHead':
      // Blocks that are not there have no logs: Hardhat's view.
      if (options.compat === 'hardhat') return encodedArray([])
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
  const { maxLogRange } = context.options
  if (maxLogRange > 0 && range.to - range.from + 1 > maxLogRange) {
    throw invalidParams(`exceed maximum block range ${maxLogRange}`)
  }
  return searchLogRange(query, range, context)
}

function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message)
}
