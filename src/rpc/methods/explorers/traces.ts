import { blockReference } from '../../codecs/block-reference.ts'
import { hash } from '../../codecs/bytes.ts'
import { traceAddress, traceFilter, traceTypes } from '../../codecs/traces/parity-trace.ts'
import { formatLocalizedFrame, formatTraceResults } from '../../format/traces/parity-trace.ts'
import { EncodedJson, encodedArray } from '../../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { filterTraces, localizedFrames, replayBlock, replayTransaction } from '../../queries/parity-tracing.ts'
import { defineMethod, requiredParam } from '../../registry/method.ts'
import { LOCALIZED_FRAME_SCHEMA, REPLAYED_SCHEMA, TRACE_RESULTS_SCHEMA } from '../../schemas/explorer-schemas.ts'
import { arrayOf, orNull } from '../../schemas/schemas.ts'

const FRAMES = { trace: true } as const

export const trace_block = defineMethod({
  name: 'trace_block',
  summary: 'All frames of the transactions of a block, in order; null for an unknown block.',
  params: [requiredParam('block', blockReference)],
  result: orNull(arrayOf(LOCALIZED_FRAME_SCHEMA)),
  takesLong: true,
  cost: 1_000,
  async handle([reference], context) {
    const found = context.view.block(reference)
    if (found === undefined) return context.conventions.absentTraces
    return localizedFrames(context, await replayBlock(context, found.block, FRAMES))
  },
})

export const trace_transaction = defineMethod({
  name: 'trace_transaction',
  summary: 'The frames of an included or pre-confirmed transaction; null for an unknown one.',
  params: [requiredParam('transactionHash', hash)],
  result: orNull(arrayOf(LOCALIZED_FRAME_SCHEMA)),
  takesLong: true,
  cost: 500,
  async handle([transactionHash], context) {
    const replayed = await replayTransaction(context, transactionHash, FRAMES)
    return replayed === undefined ? context.conventions.absentTraces : localizedFrames(context, [replayed])
  },
})

export const trace_get = defineMethod({
  name: 'trace_get',
  summary: 'The frame of a transaction at a trace address: `[]` is its own call, `[0]` the first call of that one.',
  params: [requiredParam('transactionHash', hash), requiredParam('traceAddress', traceAddress)],
  result: orNull(LOCALIZED_FRAME_SCHEMA),
  takesLong: true,
  cost: 500,
  async handle([transactionHash, path], context) {
    const replayed = await replayTransaction(context, transactionHash, FRAMES)
    const frame = replayed?.trace.frames?.find(
      ({ traceAddress: { length }, traceAddress: address }) =>
        length === path.length && address.every((index, level) => index === path[level]),
    )
    return replayed === undefined || frame === undefined ? null : formatLocalizedFrame(frame, replayed)
  },
})

export const trace_filter = defineMethod({
  name: 'trace_filter',
  summary: 'The frames of a range of blocks that match senders and recipients; `after` and `count` select a page.',
  params: [requiredParam('filter', traceFilter)],
  result: arrayOf(LOCALIZED_FRAME_SCHEMA),
  takesLong: true,
  cost: 2_000,
  handle: ([filter], context) => filterTraces(context, filter),
})

export const trace_replayTransaction = defineMethod({
  name: 'trace_replayTransaction',
  summary: 'Replays a transaction at its position: its frames, state changes and instructions, as requested.',
  params: [requiredParam('transactionHash', hash), requiredParam('traceTypes', traceTypes)],
  result: TRACE_RESULTS_SCHEMA,
  takesLong: true,
  cost: 500,
  async handle([transactionHash, types], context) {
    const replayed = await replayTransaction(context, transactionHash, types)
    if (replayed === undefined) throw new RpcError(RPC_CODES.server, 'transaction not found')
    return new EncodedJson(JSON.stringify(formatTraceResults(replayed.trace)))
  },
})

export const trace_replayBlockTransactions = defineMethod({
  name: 'trace_replayBlockTransactions',
  summary: 'Replays all transactions of a block: frames, state changes and instructions, as requested.',
  params: [requiredParam('block', blockReference), requiredParam('traceTypes', traceTypes)],
  result: orNull(arrayOf(REPLAYED_SCHEMA)),
  takesLong: true,
  cost: 1_000,
  async handle([reference, types], context) {
    const found = context.view.block(reference)
    if (found === undefined) return context.conventions.absentTraces
    const texts: string[] = []
    for (const { trace, transactionHash } of await replayBlock(context, found.block, types)) {
      texts.push(JSON.stringify({ ...formatTraceResults(trace), transactionHash }))
      await context.yieldIfDue()
    }
    return encodedArray(texts)
  },
})
