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
}

interface MemoryRegion {
  readonly at: number
  readonly size: number
}

/** The step before, as far as the next one needs it to tell what changed. */
interface LastStep {
  readonly index: number
  readonly opcode: number
  readonly depth: number
  readonly stackSize: number
  /** Memory that its instruction may write. */
  readonly written: MemoryRegion
}

const NOTHING = new Uint8Array(0)
/** JSON bytes of a step without its data, and of a word. */
const STEP_BYTES = 40
const WORD_BYTES = 69
/** Words below the top of the stack that an instruction can change: SWAP16 changes the 17th. */
const CHANGEABLE_WORDS = 17

/**
 * `stepWindowsTracer`: stack, memory and return data of ranges of steps, each step as its difference to the last.
 *
 * A step is read once for all windows. Within a frame only the words and the memory are read that the instruction
 * before can have changed, so that a step costs no more than its instruction. All of a memory is read when a window
 * begins and when the frame changes; that spends its size of the budget, whether it changed or not.
 */
export class StepWindowsTracer implements Tracer {
  readonly #budget: SizeBudget
  readonly #ranges: readonly StepRange[]
  readonly #first: number
  readonly #end: number
  #count = 0
  #windows: readonly OpenWindow[] = []
  #last: LastStep | undefined
  /** The top last. */
  #stack: bigint[] = []
  /** Zero beyond its size. */
  #memory: Bytes = NOTHING
  #memorySize = 0
  #returnData: Bytes = NOTHING

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
    this.#windows = this.#ranges.map(({ from = 0, count = 0 }) => ({ from, end: from + count, steps: [] }))
    this.#forget()
  }

  onStep(step: TraceStep): void {
    const index = this.#count++
    if (index < this.#first || index >= this.#end) return
    const windows = this.#windows.filter(({ from, end }) => index >= from && index < end)
    if (windows.length === 0) return
    if (this.#last?.index !== index - 1) this.#forget()
    const change = this.#read(step)
    const whole = windows.some(({ steps }) => steps.length === 0) ? this.#whole() : change
    for (const { steps } of windows) this.#add(steps, steps.length === 0 ? whole : change)
    const { opcode, depth, stackSize } = step
    this.#last = { index, opcode, depth, stackSize, written: writtenRegion(step) }
  }

  #forget(): void {
    this.#last = undefined
    this.#stack = []
    this.#memory = NOTHING
    this.#memorySize = 0
    this.#returnData = NOTHING
  }

  #add(steps: SteppedMachine[], added: SteppedMachine): void {
    const { pushed, memory = { bytes: NOTHING }, returnData = NOTHING } = added
    this.#budget.spend(STEP_BYTES + WORD_BYTES * pushed.length + 2 * (memory.bytes.length + returnData.length))
    steps.push(added)
  }

  /** All of the machine: a window begins. */
  #whole(): SteppedMachine {
    const memory = this.#memory.subarray(0, this.#memorySize)
    this.#budget.spend(memory.length)
    const returnData = this.#returnData
    return {
      kept: 0,
      pushed: [...this.#stack],
      ...(memory.length > 0 && { memory: { size: memory.length, ...difference(undefined, memory, 0) } }),
      ...(returnData.length > 0 && { returnData }),
    }
  }

  /** Reads the machine. @returns its difference to the step before */
  #read(step: TraceStep): SteppedMachine {
    const last = this.#last?.depth === step.depth ? this.#last : undefined
    const stack = this.#readStack(step, last)
    const returnData = this.#readReturnData(step, last)
    const memory = this.#readMemory(step, last)
    return { ...stack, ...(memory && { memory }), ...(returnData && { returnData }) }
  }

  /** @param last the step before if it is of the same frame */
  #readStack(step: TraceStep, last: LastStep | undefined): Pick<SteppedMachine, 'kept' | 'pushed'> {
    const size = step.stackSize
    const stack = this.#stack
    const wordAt = (index: number) => step.word(size - 1 - index)
    if (last === undefined) this.#budget.spend(32 * size)
    let kept = last === undefined ? 0 : Math.min(Math.max(last.stackSize - CHANGEABLE_WORDS, 0), size)
    while (kept < stack.length && kept < size && stack[kept] === wordAt(kept)) kept++
    const pushed = Array.from({ length: size - kept }, (_, index) => wordAt(kept + index))
    stack.length = kept
    stack.push(...pushed)
    return { kept, pushed }
  }

  #readReturnData(step: TraceStep, last: LastStep | undefined): Bytes | undefined {
    if (last !== undefined && !CALLS.has(last.opcode)) return undefined
    const returnData = step.returnData()
    if (Buffer.compare(returnData, this.#returnData) === 0) return undefined
    this.#returnData = returnData
    return returnData
  }

  #readMemory(step: TraceStep, last: LastStep | undefined): MemoryChange | undefined {
    const size = step.memorySize
    const sizeBefore = this.#memorySize
    this.#budget.spend(last === undefined ? size : Math.max(size - sizeBefore, 0))
    this.#resizeMemory(size)
    const region = last?.written ?? { at: 0, size }
    // A call writes no more than it returns.
    const isCall = last !== undefined && CALLS.has(last.opcode)
    const bytes = step.memorySlice(region.at, isCall ? Math.min(region.size, this.#returnData.length) : region.size)
    const changed = difference(this.#memory, bytes, region.at)
    if (changed.bytes.length > 0) this.#memory.set(changed.bytes, changed.at)
    if (changed.bytes.length > 0) return { size, ...changed }
    return size === sizeBefore ? undefined : { size, at: size, bytes: NOTHING }
  }

  #resizeMemory(size: number): void {
    if (size < this.#memorySize) this.#memory.fill(0, size, this.#memorySize)
    if (size > this.#memory.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#memory.length))
      larger.set(this.#memory)
      this.#memory = larger
    }
    this.#memorySize = size
  }
}

const CREATE = 0xf0
const CREATE2 = 0xf5
/** Place of the output's offset on the stack; its size is below it. */
const OUTPUT_WORD: Readonly<Record<number, number>> = { 241: 5, 242: 5, 244: 4, 250: 4 }
/** Instructions that set the return data. */
const CALLS: ReadonlySet<number> = new Set([CREATE, CREATE2, ...Object.keys(OUTPUT_WORD).map(Number)])

const CALLDATACOPY = 0x37
const CODECOPY = 0x39
const EXTCODECOPY = 0x3c
const RETURNDATACOPY = 0x3e
const MSTORE = 0x52
const MSTORE8 = 0x53
const MCOPY = 0x5e

/** Memory that an instruction writes if it succeeds. */
function writtenRegion(step: TraceStep): MemoryRegion {
  const { opcode, stackSize } = step
  const region = (at: number, size: number | bigint): MemoryRegion =>
    at < stackSize ? { at: Number(step.word(at)), size: Number(size) } : { at: 0, size: 0 }
  const sized = (at: number, size: number) => region(at, size < stackSize ? step.word(size) : 0)
  switch (opcode) {
    case MSTORE:
      return region(0, 32)
    case MSTORE8:
      return region(0, 1)
    case CALLDATACOPY:
    case CODECOPY:
    case RETURNDATACOPY:
    case MCOPY:
      return sized(0, 2)
    case EXTCODECOPY:
      return sized(1, 3)
    default: {
      const output = OUTPUT_WORD[opcode]
      return output === undefined ? { at: 0, size: 0 } : sized(output, output + 1)
    }
  }
}

/**
 * Bytes without those at both ends that are as before.
 *
 * @param before memory that has these bytes too; `undefined`: it was all zero
 * @param at place of the bytes in it
 */
function difference(before: Bytes | undefined, bytes: Bytes, at: number): Pick<MemoryChange, 'at' | 'bytes'> {
  const isSame = (index: number) => bytes[index] === (before === undefined ? 0 : before[at + index])
  let start = 0
  while (start < bytes.length && isSame(start)) start++
  let end = bytes.length
  while (end > start && isSame(end - 1)) end--
  return { at: at + start, bytes: bytes.slice(start, end) }
}
