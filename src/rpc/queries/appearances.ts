import type { ParityFrame } from '../../engine/trace/parity-tracer.ts'
import { traceBlock } from '../../engine/trace/trace-block.ts'
import { TraceBudget } from '../../engine/trace/trace-budget.ts'
import type { BlockView } from '../../node/core/view.ts'
import type { Address } from '../../primitives/hex.ts'
import type { ReadContext } from '../context.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { parityTracer } from './parity-tracing.ts'
import { replayOf, tracing } from './tracing.ts'

/** A transaction that an address appears in. */
export interface Appearance {
  readonly block: BlockView
  readonly index: number
}

export interface AppearancePage {
  /** Newest first. Blocks are never divided: a page may have more than `size`. */
  readonly transactions: readonly Appearance[]
  /** The search reached the end of the chain in its direction. */
  readonly isLast: boolean
}

export interface AppearanceSearch {
  readonly address: Address
  /** The first block that is searched. */
  readonly start: number
  readonly direction: 'older' | 'newer'
  readonly size: number
}

/**
 * A page of the sealed transactions that an address sent or received, or whose calls and creations name it. Every block
 * on the way is replayed, within the time of a trace.
 *
 * @throws RpcError when the time is up
 */
export function findAppearances(context: ReadContext, search: AppearanceSearch): Promise<AppearancePage> {
  const { address, start, direction, size } = search
  const { latest } = context.view.head.sealed
  const step = direction === 'older' ? -1 : 1
  return tracing(context, { tracer: parityTracer({ trace: true }) }, async (options) => {
    const transactions: Appearance[] = []
    let number = start
    for (; number >= 0 && number <= latest && transactions.length < size; number += step) {
      if (options.mayContinue !== undefined && !(await options.mayContinue())) throw searchTooLong(number)
      const found = context.view.block({ kind: 'number', number })
      if (found === undefined || found.block.transactions.length === 0) continue
      const budget = new TraceBudget(context.options.maxTraceBytes)
      const traced = await traceBlock(context.engine, replayOf(context, found.block), { ...options, budget })
      const indexes = traced.flatMap(({ trace }, index) => {
        const frames = trace.name === 'parityTracer' ? (trace.trace.frames ?? []) : []
        const { from, to } = found.block.transactions[index]!
        return from === address || to === address || appearsIn(frames, address) ? [index] : []
      })
      // Within a block in the direction of the search, so that the whole list can be reversed.
      if (direction === 'older') indexes.reverse()
      for (const index of indexes) transactions.push({ block: found, index })
    }
    const isLast = number < 0 || number > latest
    return { transactions: direction === 'older' ? transactions : transactions.reverse(), isLast }
  })
}

function appearsIn(frames: readonly ParityFrame[], address: Address): boolean {
  return frames.some(({ start: { from, to } }) => from === address || to === address)
}

function searchTooLong(number: number): RpcError {
  return new RpcError(RPC_CODES.server, `execution timeout: the search reached block ${number}`)
}
