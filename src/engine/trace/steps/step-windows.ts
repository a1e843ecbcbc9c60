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
  /** Absent: the memory is that of the step before in the window, or empty. */
  readonly memory?: MemoryChange
  /** Absent: that of the step before in the window, or none. */
  readonly returnData?: Bytes
}

/** Memory that differs from that of the step before: resized, then with other bytes from an offset on. */
export interface MemoryChange {
  readonly size: number
  readonly at: number
  readonly bytes: Bytes
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
  /** The depth of the step before if it did not write memory. */
  unwrittenDepth: number | undefined
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
      unwrittenDepth: undefined,
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
    const isUnwritten = window.unwrittenDepth === step.depth && window.memory.length === step.memorySize
    const memory = isUnwritten ? window.memory : step.memory()
    const change = isUnwritten ? undefined : memoryChange(window.memory, memory)
    const returnData = step.returnData()
    const isSameData = Buffer.compare(returnData, window.returnData) === 0
    this.#budget.spend(STEP_BYTES + WORD_BYTES * pushed.length)
    this.#budget.spend(2 * (change?.bytes.length ?? 0) + 2 * (isSameData ? 0 : returnData.length))
    window.steps.push({ kept, pushed, ...(change && { memory: change }), ...(!isSameData && { returnData }) })
    const unwrittenDepth = WRITING_MEMORY.has(step.opcode) ? undefined : step.depth
    Object.assign(window, { stack, memory, returnData, unwrittenDepth })
  }
}

/** Instructions that write memory: copies, MSTORE, MSTORE8, MCOPY, and calls, which write what they return. */
const WRITING_MEMORY: ReadonlySet<number> = new Set([
  ...[0x37, 0x39, 0x3c, 0x3e],
  ...[0x52, 0x53, 0x5e],
  ...[0xf1, 0xf2, 0xf4, 0xfa],
])

/** `undefined`: there is none. */
function memoryChange(before: Bytes, memory: Bytes): MemoryChange | undefined {
  const byteBefore = (at: number) => before[at] ?? 0
  let at = 0
  while (at < memory.length && memory[at] === byteBefore(at)) at++
  let end = memory.length
  while (end > at && memory[end - 1] === byteBefore(end - 1)) end--
  if (end === at && before.length === memory.length) return undefined
  return { size: memory.length, at, bytes: memory.slice(at, end) }
}

function sameWords(before: readonly bigint[], stack: readonly bigint[]): number {
  let same = 0
  while (same < before.length && same < stack.length && before[same] === stack[same]) same++
  return same
}
