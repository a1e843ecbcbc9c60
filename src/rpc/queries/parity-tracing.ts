import type { Block } from '../../chain/block/block.ts'
import type { TracerChoice } from '../../engine/trace/create-tracer.ts'
import type { ParityFrame, ParityTrace, ParityTracerOptions } from '../../engine/trace/parity-tracer.ts'
import { traceBlock } from '../../engine/trace/trace-block.ts'
import { TraceBudget } from '../../engine/trace/trace-budget.ts'
import { type BlockReference, PENDING } from '../../node/view/block-reference.ts'
import type { BlockView } from '../../node/view/view.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { TraceFilter } from '../codecs/traces/parity-trace.ts'
import type { ReadContext } from '../context/reading.ts'
import { formatLocalizedFrame, type TracePosition } from '../format/traces/parity-trace.ts'
import { type EncodedJson, encodedArray } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { replayOf, tracing } from './tracing.ts'

type TracedBlock = Pick<Block, 'header' | 'transactions' | 'hash'>

/** A transaction that was replayed in its block. */
export interface ReplayedTransaction extends TracePosition {
  readonly trace: ParityTrace
}

export function parityTracer(options: ParityTracerOptions): TracerChoice {
  return { name: 'parityTracer', options }
}

/**
 * Replays a block; the genesis block has no transactions.
 *
 * @param only index of the single transaction to trace
 */
export function replayBlock(
  context: ReadContext,
  block: TracedBlock,
  types: ParityTracerOptions,
  only?: number,
): Promise<readonly ReplayedTransaction[]> {
  return tracing(context, { tracer: parityTracer(types) }, async (options) => {
    if (block.transactions.length === 0) return []
    const traced = await traceBlock(context.engine, replayOf(context, block), options, only)
    return traced.map(({ hash, trace }, position) => {
      if (trace.name !== 'parityTracer') throw new Error(`traced by ${trace.name}`)
      return { block, transactionHash: hash, index: only ?? position, trace: trace.trace }
    })
  })
}

/** A transaction replayed in its block; `undefined`: no block includes it. */
export async function replayTransaction(
  context: ReadContext,
  transactionHash: Hash,
  types: ParityTracerOptions,
): Promise<ReplayedTransaction | undefined> {
  const found = context.view.transaction(transactionHash)
  if (found?.kind !== 'included') return undefined
  const [replayed] = await replayBlock(context, found.block.block, types, found.index)
  return replayed
}

/** The frames of transactions, in order. Yields while encoding. */
export async function localizedFrames(
  { yieldIfDue }: ReadContext,
  replayed: readonly ReplayedTransaction[],
): Promise<EncodedJson> {
  const texts: string[] = []
  for (const transaction of replayed) {
    for (const frame of transaction.trace.frames ?? []) {
      texts.push(JSON.stringify(formatLocalizedFrame(frame, transaction)))
    }
    await yieldIfDue()
  }
  return encodedArray(texts)
}

/** The frames that match a filter. The time of a trace bounds the range. */
export async function filterTraces(context: ReadContext, filter: TraceFilter): Promise<EncodedJson> {
  const { view, options: limits, conventions } = context
  const from = filter.fromBlock === undefined ? 0 : view.number(filter.fromBlock)!
  const pending = view.head.pending.block.header.number
  const last = view.number(filter.toBlock ?? { kind: 'tag', tag: 'latest' })!
  // A client would take the missing blocks for empty ones.
  if (last > pending && !conventions.logs.clampsRanges) {
    throw new RpcError(RPC_CODES.invalidParams, 'block range extends beyond current head block')
  }
  const to = Math.min(last, pending)
  if (from > to) throw new RpcError(RPC_CODES.invalidParams, 'invalid block range params: fromBlock is after toBlock')
  const matches = frameMatcher(filter)
  const { after = 0, count = Number.MAX_SAFE_INTEGER } = filter
  return tracing(context, { tracer: parityTracer({ trace: true }) }, async (options) => {
    const texts: string[] = []
    let skipped = 0
    for (let number = from; number <= to && texts.length < count; number++) {
      if (options.mayContinue !== undefined && !(await options.mayContinue())) throw rangeTooLong(number)
      const found = blockAt(context, number, pending)
      if (found === undefined || found.block.transactions.length === 0) continue
      const budget = new TraceBudget(limits.maxTraceBytes)
      const replay = replayOf(context, found.block)
      const traced = await traceBlock(context.engine, replay, { ...options, budget })
      for (const [index, { hash: transactionHash, trace }] of traced.entries()) {
        const frames = trace.name === 'parityTracer' ? (trace.trace.frames ?? []) : []
        for (const frame of frames) {
          if (texts.length === count || !matches(frame) || skipped++ < after) continue
          const text = JSON.stringify(formatLocalizedFrame(frame, { block: found.block, transactionHash, index }))
          options.budget.spend(text.length)
          texts.push(text)
        }
      }
    }
    return encodedArray(texts)
  })
}

function rangeTooLong(number: number): RpcError {
  return new RpcError(
    RPC_CODES.server,
    `execution timeout: the search reached block ${number}; ask for fewer blocks at once`,
  )
}

/** A block by height; the height of the open block selects that one. */
export function blockAt({ view }: ReadContext, number: number, pending: number): BlockView | undefined {
  const reference: BlockReference = number === pending ? PENDING : { kind: 'number', number }
  return view.block(reference)
}

/** As alloy's `TraceFilter`: without addresses every frame matches. */
function frameMatcher(
  filter: Pick<TraceFilter, 'fromAddress' | 'toAddress' | 'mode'>,
): (frame: ParityFrame) => boolean {
  const senders = new Set<Address>(filter.fromAddress)
  const recipients = new Set<Address>(filter.toAddress)
  if (senders.size === 0 && recipients.size === 0) return () => true
  const isSender = ({ start }: ParityFrame) => senders.has(start.from)
  const isRecipient = ({ start: { to } }: ParityFrame) => to !== undefined && recipients.has(to)
  if (recipients.size === 0) return isSender
  if (senders.size === 0) return isRecipient
  return filter.mode === 'intersection'
    ? (frame) => isSender(frame) && isRecipient(frame)
    : (frame) => isSender(frame) || isRecipient(frame)
}
