import type { Address, Bytes, Hash } from '../../../primitives/hex.ts'
import { bigintToHash } from '../../../primitives/quantity.ts'
import type { FrameEnd, FrameKind, FrameStart, StepCost, Tracer, TraceStep } from '../../tracer.ts'
import type { SizeBudget } from './size-budget.ts'

/** A call or creation in a trace of steps; a precompile or transfer has no steps. */
export interface SteppedFrame {
  /** Its first step, or the step that follows it. */
  readonly firstStep: number
  /** The step behind its last one. */
  readonly endStep: number
  readonly depth: number
  readonly kind: FrameKind
  readonly from: Address
  readonly to?: Address
  /** Account whose storage it uses; absent if no code ran. */
  readonly account?: Address
  readonly input: Bytes
  readonly value?: bigint
  readonly gas: number
  readonly gasUsed: number
  readonly output: Bytes
  readonly error?: string
}

/** An access to a slot: its value after the step. */
export interface StorageAccess {
  readonly step: number
  readonly slot: bigint
  readonly value: bigint
  readonly isWrite: boolean
}

/**
 * Per-step columns of a message. A debugger navigates with them and loads stacks and memory separately
 * (`stepWindowsTracer`).
 */
export interface StepColumns {
  readonly count: number
  readonly programCounters: Uint32Array
  readonly opcodes: Uint8Array
  /** 1 in the message's own frame. */
  readonly depths: Uint16Array
  /** Before the step; at most 2^32 - 1. */
  readonly gasLeft: Uint32Array
  readonly frames: readonly SteppedFrame[]
  readonly storage: readonly StorageAccess[]
  /** Inputs of KECCAK256 that may be keys of mappings and arrays. */
  readonly preimages: ReadonlyMap<Hash, Bytes>
}

const KECCAK256 = 0x20
const SLOAD = 0x54
const SSTORE = 0x55
/** A slot, and a key that is a word or a short text. */
const MIN_PREIMAGE_BYTES = 32
const MAX_PREIMAGE_BYTES = 256
const MAX_GAS = 2 ** 32 - 1
const FIRST_CAPACITY = 1_024

/** JSON bytes: 11 bytes of a step in base64, a frame without its data, an access. */
const STEP_BYTES = 15
const FRAME_BYTES = 350
const ACCESS_BYTES = 160
const PREIMAGE_BYTES = 80

type OpenFrame = { -readonly [Member in keyof SteppedFrame]: SteppedFrame[Member] }

/** `stepColumnsTracer`: the steps of a message without stack and memory, its frames, and the storage that it uses. */
export class StepColumnsTracer implements Tracer {
  readonly #budget: SizeBudget
  #count = 0
  #programCounters = new Uint32Array(FIRST_CAPACITY)
  #opcodes = new Uint8Array(FIRST_CAPACITY)
  #depths = new Uint16Array(FIRST_CAPACITY)
  #gas = new Uint32Array(FIRST_CAPACITY)
  #frames: OpenFrame[] = []
  #open: OpenFrame[] = []
  #storage: StorageAccess[] = []
  readonly #preimages = new Map<Hash, Bytes>()
  /** What the last step reads or writes. */
  #slot: { readonly slot: bigint; readonly written: bigint | undefined } | undefined
  #preimage: Bytes | undefined

  constructor(deps: { readonly budget: SizeBudget }) {
    this.#budget = deps.budget
  }

  result(): StepColumns {
    const count = this.#count
    return {
      count,
      programCounters: this.#programCounters.subarray(0, count),
      opcodes: this.#opcodes.subarray(0, count),
      depths: this.#depths.subarray(0, count),
      gasLeft: this.#gas.subarray(0, count),
      frames: this.#frames,
      storage: this.#storage,
      preimages: this.#preimages,
    }
  }

  onBegin(): void {
    this.#count = 0
    this.#frames = []
    this.#open = []
    this.#storage = []
    this.#preimages.clear()
    this.#slot = undefined
    this.#preimage = undefined
  }

  onStep(step: TraceStep): void {
    const { opcode, stackSize } = step
    const index = this.#count
    if (index === this.#opcodes.length) this.#grow()
    this.#count++
    this.#programCounters[index] = step.programCounter
    this.#opcodes[index] = opcode
    this.#depths[index] = step.depth
    this.#gas[index] = Math.min(step.gas, MAX_GAS)
    this.#budget.spend(STEP_BYTES)
    const frame = this.#open.at(-1)
    if (frame !== undefined && frame.firstStep === index) frame.account = step.address
    this.#slot = undefined
    this.#preimage = undefined
    if (opcode === SLOAD && stackSize >= 1) this.#slot = { slot: step.word(0), written: undefined }
    else if (opcode === SSTORE && stackSize >= 2) this.#slot = { slot: step.word(0), written: step.word(1) }
    else if (opcode === KECCAK256 && stackSize >= 2) this.#preimage = preimageOfKey(step)
  }

  onCharged(charge: StepCost): void {
    if (charge.fault !== undefined) return
    if (this.#slot !== undefined) {
      const { slot, written } = this.#slot
      this.#budget.spend(ACCESS_BYTES)
      const value = written ?? charge.top()
      this.#storage.push({ step: this.#count - 1, slot, value, isWrite: written !== undefined })
    } else if (this.#preimage !== undefined) {
      const hash = bigintToHash(charge.top())
      if (this.#preimages.has(hash)) return
      this.#budget.spend(PREIMAGE_BYTES + 2 * this.#preimage.length)
      this.#preimages.set(hash, this.#preimage)
    }
  }

  onEnter({ kind, depth, from, to, input, gas, value }: FrameStart): void {
    this.#budget.spend(FRAME_BYTES + 2 * input.length)
    const frame: OpenFrame = {
      firstStep: this.#count,
      endStep: this.#count,
      depth,
      kind,
      from,
      input,
      gas,
      gasUsed: 0,
      output: new Uint8Array(0),
    }
    if (to !== undefined) frame.to = to
    if (value !== undefined) frame.value = value
    this.#frames.push(frame)
    this.#open.push(frame)
  }

  onExit({ output, gasUsed, error }: FrameEnd): void {
    const frame = this.#open.pop()
    if (frame === undefined) return
    this.#budget.spend(2 * output.length)
    frame.endStep = this.#count
    frame.output = output
    frame.gasUsed = gasUsed
    if (error !== undefined) frame.error = error
  }

  #grow(): void {
    const grown = <Column extends { readonly length: number; set(from: Column): void }>(
      column: Column,
      create: (length: number) => Column,
    ): Column => {
      const larger = create(2 * column.length)
      larger.set(column)
      return larger
    }
    this.#programCounters = grown(this.#programCounters, (length) => new Uint32Array(length))
    this.#opcodes = grown(this.#opcodes, (length) => new Uint8Array(length))
    this.#depths = grown(this.#depths, (length) => new Uint16Array(length))
    this.#gas = grown(this.#gas, (length) => new Uint32Array(length))
  }
}

function preimageOfKey(step: TraceStep): Bytes | undefined {
  const [offset, size] = [Number(step.word(0)), Number(step.word(1))]
  if (size < MIN_PREIMAGE_BYTES || size > MAX_PREIMAGE_BYTES || offset > step.memorySize) return undefined
  // Memory grows only with the step.
  const bytes = new Uint8Array(size)
  bytes.set(step.memorySlice(offset, size))
  return bytes
}
