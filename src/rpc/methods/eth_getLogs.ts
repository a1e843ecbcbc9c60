import { logsOfBlock } from '../../chain/block-logs.ts'
import { type LogFilter, logFilter } from '../codecs/log-filter.ts'
import type { ReadContext } from '../context.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { LogAnswer } from '../log-answer.ts'
import { logRange } from '../log-range.ts'
import { searchLogs } from '../log-search.ts'
import { defineMethod, required } from '../method.ts'
import { arrayOf, LOG_SCHEMA } from '../schemas.ts'

export const eth_getLogs = defineMethod({
  name: 'eth_getLogs',
  summary: 'Logs that match a filter. A range may end at `pending`: sealed and pre-confirmed logs of one instant.',
  params: [required('filter', logFilter)],
  result: arrayOf(LOG_SCHEMA),
  cost: 20,
  example: { params: [{ fromBlock: 'pending', toBlock: 'pending' }], result: [] },
  handle: ([filter], context) => findLogs(filter, context),
})

async function findLogs(filter: LogFilter, context: ReadContext): Promise<JsonObject[]> {
  const { view, options } = context
  if (filter.blockHash !== undefined) {
    if (options.dialect === 'ethereum' && (filter.fromBlock ?? filter.toBlock) !== undefined) {
      throw invalidParams('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
    }
    const found = view.block({ kind: 'hash', hash: filter.blockHash, requireCanonical: false })
    if (found === undefined) throw new RpcError(RPC_CODES.server, 'unknown block')
    const { number } = found.block.header
    const logs = new LogAnswer({ ...options, from: number })
    for (const log of logsOfBlock(filter, found.block, found.receipts)) logs.add(log)
    return logs.encoded
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
      return searchLogs(filter, range, context)
  }
}

function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message)
}
