import type { Bytes } from '../../../primitives/hex.ts'
import type { Tracer, TraceStep } from '../../tracer.ts'
import type { SizeBudget } from './size-budget.ts'

/** Steps by their position in the message. */
export interface StepRange {
  /** Default: 0, the first step. */
  readonly from?: number
  /** Default: 0. */
  readonly count?: number
}

export interface StepWindowsOptions {
  /** Ranges may overlap; each is answered with a window of its own. */
  readonly ranges?: readonly StepRange[]
}

/** The machine before a step. */
export interface SteppedMachine {
  /** Words at the bottom of the stack that are those of the step before in the window. */
  readonly kept: number
  /** Words above them, the top last. */
  readonly pushed: readonly bigint[]
  /** Absent: that of the step before in the window, or none. */
  readonly memory?: Bytes
  /** As `memory`. */
  readonly returnData?: Bytes
}

export interface StepWindow {
  readonly from: number
  readonly steps: readonly SteppedMachine[]
}

interface OpenWindow {
  readonly from: number
  readonly end: number
  readonly steps: SteppedMachine[]
  stack: readonly bigint[]
  memory: Bytes
  returnData: Bytes
}

const NOTHING = new Uint8Array(0)
/** JSON bytes of a step without its data, and of a word. */
const STEP_BYTES = 40
const WORD_BYTES = 69

/** `stepWindowsTracer`: stack, memory and return data of ranges of steps, each step as its difference to the last. */
export class StepWindowsTracer implements Tracer {
  readonly #budget: SizeBudget
  readonly #ranges: readonly StepRange[]
  readonly #first: number
  readonly #end: number
  #count = 0
  #windows: readonly OpenWindow[] = []

  constructor({ ranges = [] }: StepWindowsOptions, deps: { readonly budget: SizeBudget }) {
    this.#budget = deps.budget
    this.#ranges = ranges
    this.#first = Math.min(...ranges.map(({ from = 0 }) => from))
    this.#end = Math.max(...ranges.map(({ from = 0, count = 0 }) => from + count))
    this.onBegin()
  }

  get windows(): readonly StepWindow[] {
    return this.#windows
  }

  onBegin(): void {
    this.#count = 0
    this.#windows = this.#ranges.map(({ from = 0, count = 0 }) => ({
      from,
      end: from + count,
      steps: [],
      stack: [],
      memory: NOTHING,
      returnData: NOTHING,
    }))
  }

  onStep(step: TraceStep): void {
    const index = this.#count++
    if (index < this.#first || index >= this.#end) return
    for (const window of this.#windows) if (index >= window.from && index < window.end) this.#add(window, step)
  }

  #add(window: OpenWindow, step: TraceStep): void {
    const stack = Array.from({ length: step.stackSize }, (_, index) => step.word(step.stackSize - 1 - index))
    const kept = sameWords(window.stack, stack)
    const pushed = stack.slice(kept)
    this.#budget.spend(STEP_BYTES + WORD_BYTES * pushed.length + 2 * step.memorySize)
    const memory = step.memory()
    const returnData = step.returnData()
    const machine = {
      kept,
      pushed,
      ...(Buffer.compare(memory, window.memory) !== 0 && { memory }),
      ...(Buffer.compare(returnData, window.returnData) !== 0 && { returnData }),
    }
    this.#budget.spend(2 * (machine.returnData?.length ?? 0))
    Object.assign(window, { stack, memory, returnData })
    window.steps.push(machine)
  }
}

function sameWords(before: readonly bigint[], stack: readonly bigint[]): number {
  let same = 0
  while (same < before.length && same < stack.length && before[same] === stack[same]) same++
  return same
}
