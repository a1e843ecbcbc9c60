import type { Log } from '../../chain/receipt/log.ts'
import { type Address, type Bytes, EMPTY_BYTES } from '../../primitives/hex.ts'
import type { FrameEnd, FrameKind, FrameStart, Tracer } from '../tracer.ts'
import type { Call, Executed } from '../types.ts'
import type { TraceBudget } from './trace-budget.ts'

export interface CallTracerOptions {
  readonly onlyTopCall?: boolean
  readonly withLog?: boolean
}

/** A log, its index in the block, and the number of calls that its frame had made before. */
export interface CallLog {
  readonly log: Log
  readonly index: number
  readonly position: number
}

export interface CallFrame {
  readonly kind: FrameKind
  readonly from: Address
  readonly to?: Address
  readonly input: Bytes
  /** For the first frame those of the transaction, as in go-ethereum. */
  readonly gas: number
  readonly gasUsed: number
  readonly value?: bigint
  readonly output: Bytes
  readonly error?: FrameEnd['error']
  readonly calls: readonly CallFrame[]
  /** In execution order; empty for a reverted frame. */
  readonly logs: readonly CallLog[]
}

/** Input of a message, signed or not. */
export type TracedRequest = Pick<Call, 'from' | 'to' | 'gasLimit' | 'value' | 'data'>

interface CallTracerDeps {
  readonly budget: TraceBudget
  /** Logs of earlier transactions of the block. Default: none. */
  readonly logsBefore?: number
}

interface OpenFrame {
  readonly start: FrameStart
  readonly calls: CallFrame[]
  readonly logs: CallLog[]
}

/** JSON bytes of the members that are always present. */
const FRAME_BYTES = 300

/** go-ethereum's `callTracer`: the tree of call frames. */
export class CallTracer implements Tracer {
  readonly #options: CallTracerOptions
  readonly #budget: TraceBudget
  readonly #logsBefore: number
  #open: OpenFrame[] = []
  #top: CallFrame | undefined
  /** Index of the current frame. */
  #depth = 0
  /** Index of the next log; a frame that fails takes its logs back. */
  #nextLog = 0
  /** `#nextLog` at the start of each open frame. */
  #firstLogs: number[] = []

  constructor(options: CallTracerOptions, deps: CallTracerDeps) {
    this.#options = options
    this.#budget = deps.budget
    this.#logsBefore = deps.logsBefore ?? 0
  }

  /** The message's own frame; also for a deposit that could not run. */
  result({ gasUsed, halt }: Executed, { from, to, gasLimit, value, data }: TracedRequest): CallFrame {
    const top = this.#top ?? {
      kind: to === null ? 'CREATE' : 'CALL',
      from,
      ...(to !== null && { to }),
      input: data,
      value,
      output: EMPTY_BYTES,
      ...(halt !== undefined && { error: halt }),
      calls: [],
      logs: [],
    }
    return { ...top, gas: Number(gasLimit), gasUsed }
  }

  onBegin(): void {
    this.#open = []
    this.#top = undefined
    this.#nextLog = this.#logsBefore
    this.#firstLogs = []
  }

  onEnter(start: FrameStart): void {
    this.#depth = start.depth
    this.#firstLogs.push(this.#nextLog)
    if (this.#options.onlyTopCall && start.depth > 0) return
    this.#budget.spend(FRAME_BYTES + 2 * start.input.length)
    this.#open.push({ start, calls: [], logs: [] })
  }

  onExit(end: FrameEnd): void {
    this.#depth = end.depth - 1
    const firstLog = this.#firstLogs.pop()!
    if (end.error !== undefined) this.#nextLog = firstLog
    if (this.#options.onlyTopCall && end.depth > 0) return
    const { start, calls, logs } = this.#open.pop()!
    const { depth: _, to, ...fields } = start
    const { output, gasUsed, error } = end
    this.#budget.spend(2 * output.length)
    const isCreation = start.kind === 'CREATE' || start.kind === 'CREATE2'
    const frame: CallFrame = {
      ...fields,
      // A failed creation has no address.
      ...(to !== undefined && !(isCreation && error !== undefined) && { to }),
      gasUsed,
      output,
      ...(error !== undefined && { error }),
      calls,
      logs,
    }
    const caller = this.#open.at(-1)
    if (caller === undefined) this.#top = withLasting(frame, true)
    else caller.calls.push(frame)
  }

  onLog(log: Log): void {
    const index = this.#nextLog++
    const frame = this.#open.at(-1)
    if (!this.#options.withLog || frame === undefined) return
    if (this.#options.onlyTopCall && this.#depth > 0) return
    this.#budget.spend(FRAME_BYTES + 2 * log.data.length)
    frame.logs.push({ log, index, position: frame.calls.length })
  }
}

/** Drops the logs of failed frames and those below them. */
function withLasting(frame: CallFrame, isLasting: boolean): CallFrame {
  const lasts = isLasting && frame.error === undefined
  const calls = frame.calls.map((call) => withLasting(call, lasts))
  return { ...frame, calls, logs: lasts ? frame.logs : [] }
}
