import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import type { ReadContext } from '../context/reading.ts'
import { logJson } from '../format/log-json.ts'
import { ChunkRecorder } from '../logs/chunk-recorder.ts'
import { approximateLogBytes, LogResponse } from '../logs/log-response.ts'
import { CHUNK_BLOCKS } from '../logs/memoized-chunks.ts'
import type { EncodedJson } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { REQUEST_SLICE_MS } from '../scheduling/run-queue.ts'

/**
 * Blocks of the first span, before the density of logs is known. Large, since every span looks up its criteria again,
 * and the logs found within a slice are kept whatever the length of the span.
 */
const FIRST_SPAN = 1_024

type Context = Pick<ReadContext, 'view' | 'options' | 'yieldIfDue' | 'grown' | 'now' | 'memoizedLogs'>

/** Where a search resumes: a block, and how many of its logs were found already. */
interface LogCursor {
  readonly block: number
  readonly skip: number
}

/**
 * Finds the logs of a range, span by span: as many blocks at once as take less than a slice, so that other requests run
 * in between.
 *
 * @throws RpcError -32602 when there are too many, -32002 when it takes longer than `logTimeoutMs`, -32005 when there
 * is no memory for the response
 */
export async function searchLogRange(
  query: LogQuery,
  range: { readonly from: number; readonly to: number },
  context: Context,
): Promise<EncodedJson> {
  const { view, options, yieldIfDue, grown, now, memoizedLogs } = context
  const { latest } = view.head.sealed
  const sealedTo = Math.min(range.to, latest)
  const chunks = memoizedLogs.chunks.of(query)
  const { forkBlock = -1 } = view
  // Chunks of the blocks of another node are not memoized: their hashes would have to be loaded.
  const blockHash = (number: number) => (number < forkBlock ? undefined : view.blockHash({ kind: 'number', number }))
  const recorder = new ChunkRecorder({ from: range.from, to: sealedTo }, { chunks, blockHash })
  const write = (found: LogMatch) => {
    if (found.blockNumber > latest) return logJson(found)
    const text = memoizedLogs.text(found)
    recorder.add(found.blockNumber, text, approximateLogBytes(found))
    return text
  }
  const response = new LogResponse({ ...options, from: range.from }, { write })
  const timeEnd = now() + options.logTimeoutMs
  let cursor: LogCursor = { block: range.from, skip: 0 }
  let span = FIRST_SPAN
  // In one piece, so that repeated searches ask the other node for the same range.
  if (cursor.block <= forkBlock) {
    for (const found of view.logs(query, range.from, Math.min(range.to, forkBlock))) response.add(found)
    recorder.searchedUpTo(forkBlock + 1)
    cursor = { block: forkBlock + 1, skip: 0 }
  }
  while (cursor.block <= range.to) {
    if (response.bytes > 0) grown(response.bytes)
    await yieldIfDue()
    const after = cursor.block + CHUNK_BLOCKS
    const memoized = cursor.skip === 0 && after <= sealedTo + 1 ? chunks.at(cursor.block) : undefined
    if (memoized !== undefined && memoized.lastHash === blockHash(after - 1) && response.addChunk(memoized)) {
      recorder.searchedUpTo(after)
      cursor = { block: after, skip: 0 }
      continue
    }
    const start = now()
    const end = Math.min(range.to, cursor.block + span - 1)
    const last = (chunks.next(cursor.block, end) ?? end + 1) - 1
    const next = searchSpan(query, cursor, last, { context, response, end: timeEnd })
    if (next.block <= last) span = Math.max(1, span >> 2)
    else if (now() - start < REQUEST_SLICE_MS / 4) span *= 2
    cursor = next
    recorder.searchedUpTo(cursor.block)
  }
  return response.json
}

/** Ends the iteration over a span that takes longer than a slice. */
class SpanTooLong extends Error {
  override readonly name = 'SpanTooLong'
}

interface SpanDeps {
  readonly context: Context
  readonly response: LogResponse
  /** End of the whole search on the monotonic clock. */
  readonly end: number
}

/** @returns the block after `last`, or where the slice ended; a span of one block is always completed */
function searchSpan(query: LogQuery, from: LogCursor, last: number, { context, response, end }: SpanDeps): LogCursor {
  const { view, options, now } = context
  const sliceEnd = now() + REQUEST_SLICE_MS
  const checkpoint = () => {
    const time = now()
    if (time > end) throw timedOut(options.logTimeoutMs)
    if (last > from.block && time > sliceEnd) throw new SpanTooLong()
  }
  let { block, skip } = from
  let met = 0
  try {
    checkpoint()
    for (const found of view.logs(query, from.block, last, checkpoint)) {
      checkpoint()
      if (found.blockNumber > block) {
        block = found.blockNumber
        skip = 0
        met = 0
      }
      met += 1
      if (met <= skip) continue
      response.add(found)
      skip = met
    }
  } catch (error) {
    if (error instanceof SpanTooLong) return { block, skip }
    throw error
  }
  return { block: last + 1, skip: 0 }
}

function timedOut(limit: number): RpcError {
  return new RpcError(
    RPC_CODES.timedOut,
    `query takes longer than ${limit} ms, retry with a smaller range or more criteria`,
  )
}
