import type { Address, Bytes } from '../../primitives/hex.ts'
import type { HaltReason } from '../halt-reason.ts'
import type { FrameStart, StepCost, Tracer, TraceStep } from '../tracer.ts'
import type { TraceBudget } from './trace-budget.ts'

const SLOAD = 0x54
const SSTORE = 0x55
const SWAP1 = 0x90
const SWAP16 = 0x9f

/** Options of the record of an instruction (go-ethereum, eth/tracers/logger). */
export interface StructLogOptions {
  readonly enableMemory?: boolean
  /** Only in the full form. */
  readonly disableMemory?: boolean
  readonly disableStack?: boolean
  readonly disableStorage?: boolean
  readonly enableReturnData?: boolean
  /** Maximum number of records; execution continues without. 0: unlimited. */
  readonly limit?: number
}

/**
 * The default content of a record.
 *
 * - `sparse`, as in go-ethereum: no memory; storage in the records of SLOAD and SSTORE only.
 * - `full`, as in Hardhat 2: each record has the memory and all slots accessed so far. A cost never exceeds the gas
 *   that was left, and that of CREATE and CREATE2 includes the gas of the new frame.
 */
export type StructLogForm = 'sparse' | 'full'

/** The machine before an instruction, and its cost. */
export interface StructLog {
  readonly programCounter: number
  readonly opcode: number
  readonly gas: number
  readonly cost: number
  readonly depth: number
  readonly refund: number
  readonly fault?: HaltReason
  /** Top of the stack last. */
  readonly stack?: readonly bigint[]
  readonly memory?: Bytes
  readonly returnData?: Bytes
  /**
   * Every slot of the contract accessed so far. The slot of SLOAD or SSTORE has its value after the instruction. In the
   * sparse form, only the records of SLOAD and SSTORE have this member.
   */
  readonly storage?: ReadonlyMap<bigint, bigint>
}

type OpenLog = { -readonly [Member in keyof StructLog]: StructLog[Member] }

/** JSON bytes of the members that are always present. */
const LOG_BYTES = 80
const SLOT_BYTES = 140

const NO_SLOTS: ReadonlyMap<bigint, bigint> = new Map()

/** The default tracer: one record per instruction. */
export class StructLogger implements Tracer {
  readonly #options: StructLogOptions
  readonly #isFull: boolean
  readonly #budget: TraceBudget
  #logs: OpenLog[] = []
  /** Accessed slots by contract: a map is replaced when it changes, since records share it. */
  #storage = new Map<Address, ReadonlyMap<bigint, bigint>>()
  /** Last stack of each open frame, and the number of words from the top that its instruction may have changed. */
  #frames: { readonly stack: readonly bigint[]; readonly changed: number }[] = []
  /** The slot accessed by the last step. */
  #read: { readonly address: Address; readonly slot: bigint } | undefined
  #isAtLimit = false

  constructor(
    { form = 'sparse', ...options }: StructLogOptions & { readonly form?: StructLogForm },
    deps: { readonly budget: TraceBudget },
  ) {
    this.#isFull = form === 'full'
    this.#options = this.#isFull ? { ...options, enableMemory: options.disableMemory !== true } : options
    this.#budget = deps.budget
  }

  get logs(): readonly StructLog[] {
    return this.#logs
  }

  onBegin(): void {
    this.#logs = []
    this.#storage = new Map()
    this.#frames = []
    this.#read = undefined
    this.#isAtLimit = false
  }

  onStep(step: TraceStep): void {
    const { enableMemory, disableStack, enableReturnData, limit = 0 } = this.#options
    this.#read = undefined
    this.#isAtLimit = limit > 0 && this.#logs.length >= limit
    if (this.#isAtLimit) return
    const { programCounter, opcode, gas, depth, refund } = step
    const log: OpenLog = { programCounter, opcode, gas, cost: 0, depth, refund }
    let bytes = LOG_BYTES
    if (!disableStack) {
      log.stack = this.#stack(step)
      bytes += stackBytes(log.stack)
    }
    if (enableMemory && (this.#isFull || step.memorySize > 0)) {
      bytes += step.memorySize * 2 + step.memorySize / 8
      this.#budget.spend(bytes)
      bytes = 0
      log.memory = step.memory()
    }
    if (enableReturnData) {
      const returnData = step.returnData()
      if (returnData.length > 0) log.returnData = returnData
      bytes += returnData.length * 2
    }
    this.#logs.push(log)
    this.#budget.spend(bytes)
    this.#look(step, log)
  }

  onCharged(charge: StepCost): void {
    if (this.#isAtLimit) return
    const log = this.#logs.at(-1)!
    log.cost = this.#isFull ? Math.min(charge.cost, log.gas) : charge.cost
    if (charge.fault !== undefined) log.fault = charge.fault
    else if (this.#read !== undefined) this.#note(log, this.#read.address, this.#read.slot, charge.top())
  }

  onEnter({ kind, depth, gas }: FrameStart): void {
    const log = this.#logs.at(-1)
    const isCreation = kind === 'CREATE' || kind === 'CREATE2'
    if (this.#isFull && !this.#isAtLimit && log !== undefined && depth > 0 && isCreation) log.cost += gas
  }

  #look(step: TraceStep, log: OpenLog): void {
    if (this.#options.disableStorage) return
    const { opcode, stackSize, address } = step
    if (this.#isFull) this.#setStorage(log, this.#storage.get(address) ?? NO_SLOTS)
    if (opcode === SLOAD && stackSize >= 1) this.#read = { address, slot: step.word(0) }
    else if (opcode === SSTORE && stackSize >= 2) this.#note(log, address, step.word(0), step.word(1))
  }

  #note(log: OpenLog, address: Address, slot: bigint, value: bigint): void {
    const slots = new Map(this.#storage.get(address)).set(slot, value)
    this.#storage.set(address, slots)
    this.#setStorage(log, slots)
  }

  #setStorage(log: OpenLog, slots: ReadonlyMap<bigint, bigint>): void {
    this.#budget.spend(slots.size * SLOT_BYTES)
    log.storage = slots
  }

  /** Words untouched by the previous instruction are shared with its record. */
  #stack(step: TraceStep): readonly bigint[] {
    const { depth, stackSize, opcode } = step
    const before = this.#frames[depth - 1]
    const kept = before === undefined ? 0 : Math.max(0, Math.min(before.stack.length, stackSize - before.changed))
    const stack = before === undefined ? [] : before.stack.slice(0, kept)
    for (let index = kept; index < stackSize; index++) stack.push(step.word(stackSize - 1 - index))
    this.#frames[depth - 1] = { stack, changed: changedWords(opcode) }
    this.#frames.length = depth
    return stack
  }
}

/** Words below the new top that an instruction may have written. */
function changedWords(opcode: number): number {
  return opcode >= SWAP1 && opcode <= SWAP16 ? opcode - SWAP1 + 2 : 1
}

function stackBytes(stack: readonly bigint[]): number {
  let bytes = 0
  for (const word of stack) bytes += word < 0x1_0000_0000n ? 10 : word < 1n << 128n ? 36 : 69
  return bytes
}
