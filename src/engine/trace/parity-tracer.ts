import type { Address } from '../../primitives/hex.ts'
import type { FrameEnd, FrameStart, StepCost, Tracer, TraceStep } from '../tracer.ts'
import type { Executed } from '../types.ts'
import type { StateChange } from './prestate-tracer.ts'
import { accountChanges, type TracedAccountChange } from './state-difference.ts'
import type { TraceBudget } from './trace-budget.ts'
import { type VmTrace, VmTracer } from './vm-tracer.ts'

/** Parts of a trace in Parity's format. */
export interface ParityTracerOptions {
  /** The frames. */
  readonly trace?: boolean
  /** Accounts and slots before and after the message. */
  readonly stateDiff?: boolean
  /** Each instruction with what it wrote. */
  readonly vmTrace?: boolean
}

/** A frame of the flat list, which is in pre-order. */
export interface ParityFrame {
  readonly start: FrameStart
  readonly end: FrameEnd
  /** Index of the frame in each of its callers, from the message's own frame, whose address is empty. */
  readonly traceAddress: readonly number[]
  /** Frames that it called directly. */
  readonly subtraces: number
}

export interface ParityTrace {
  readonly executed: Executed
  /** Absent unless requested, as the following members. */
  readonly frames?: readonly ParityFrame[]
  readonly stateDiff?: ReadonlyMap<Address, TracedAccountChange>
  readonly vmTrace?: VmTrace
}

interface OpenFrame {
  readonly start: FrameStart
  readonly traceAddress: readonly number[]
  end: FrameEnd | undefined
  subtraces: number
}

interface ParityTracerDeps {
  readonly budget: TraceBudget
  readonly precompiles: ReadonlySet<Address>
}

/** JSON bytes of the members that are always present. */
const FRAME_BYTES = 500
const ADDRESS_BYTES = 4

/** OpenEthereum's traces: `trace`, `stateDiff` and `vmTrace` of the `trace` namespace. */
export class ParityTracer implements Tracer {
  readonly #options: ParityTracerOptions
  readonly #deps: ParityTracerDeps
  readonly #vm: VmTracer | undefined
  /** Present if instructions are traced: without them the interpreter reports frames only, which is faster. */
  readonly onStep?: (step: TraceStep) => void
  readonly onCharged?: (charge: StepCost) => void
  #frames: OpenFrame[] = []
  /** Frames that have not ended; `undefined` for one that is left out. */
  #open: (OpenFrame | undefined)[] = []

  constructor(options: ParityTracerOptions, deps: ParityTracerDeps) {
    this.#options = options
    this.#deps = deps
    if (!options.vmTrace) return
    const vm = new VmTracer(deps)
    this.#vm = vm
    this.onStep = (step) => vm.onStep(step)
    this.onCharged = (charge) => vm.onCharged(charge)
  }

  /** @throws TraceTooLargeError and errors of the state reader */
  result(executed: Executed, change: StateChange): ParityTrace {
    const { trace, stateDiff } = this.#options
    return {
      executed,
      ...(trace && { frames: this.#frames.map((frame) => ({ ...frame, end: frame.end! })) }),
      ...(stateDiff && { stateDiff: accountChanges(change, this.#deps.budget) }),
      ...(this.#vm && { vmTrace: this.#vm.result(change) }),
    }
  }

  onBegin(): void {
    this.#frames = []
    this.#open = []
    this.#vm?.onBegin()
  }

  onEnter(start: FrameStart): void {
    this.#vm?.onEnter(start)
    if (!this.#options.trace) return
    const caller = this.#open.at(-1)
    if (this.#isPlainPrecompile(start)) {
      this.#open.push(undefined)
      return
    }
    const traceAddress = caller === undefined ? [] : [...caller.traceAddress, caller.subtraces]
    this.#deps.budget.spend(FRAME_BYTES + 2 * start.input.length + ADDRESS_BYTES * traceAddress.length)
    if (caller !== undefined) caller.subtraces++
    const frame: OpenFrame = { start, traceAddress, end: undefined, subtraces: 0 }
    this.#frames.push(frame)
    this.#open.push(frame)
  }

  onExit(end: FrameEnd): void {
    this.#vm?.onExit(end)
    if (!this.#options.trace) return
    const frame = this.#open.pop()
    if (frame === undefined) return
    this.#deps.budget.spend(2 * end.output.length)
    frame.end = end
  }

  /** As in reth, calls to precompiles are left out unless they transfer value. */
  #isPlainPrecompile({ depth, to, value = 0n }: FrameStart): boolean {
    return depth > 0 && value === 0n && to !== undefined && this.#deps.precompiles.has(to)
  }
}
