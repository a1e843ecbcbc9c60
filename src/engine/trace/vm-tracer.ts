import { type Address, type Bytes, EMPTY_BYTES } from '../../primitives/hex.ts'
import * as Opcode from '../evm/abi/opcodes.ts'
import type { FrameEnd, FrameStart, StepCost, TraceStep } from '../tracer.ts'
import { delegationOf } from '../transaction/delegation.ts'
import type { StateChange } from './prestate-tracer.ts'
import type { TraceBudget } from './trace-budget.ts'

/** Instructions of a frame in OpenEthereum's `vmTrace`. */
export interface VmTrace {
  readonly code: Bytes
  readonly operations: readonly VmOperation[]
}

export interface VmOperation {
  readonly programCounter: number
  readonly opcode: number
  /** Includes the gas passed to a called frame. */
  readonly cost: number
  /** Values written by the instruction; absent if it failed. */
  readonly effect?: VmEffect
  /** The frame that it opened, if code ran there. */
  readonly sub?: VmTrace
}

export interface VmEffect {
  /** Gas left after it. */
  readonly gasLeft: number
  /** Words written to the stack, the top last. */
  readonly push: readonly bigint[]
  readonly memory?: { readonly offset: number; readonly data: Bytes }
  readonly store?: { readonly key: bigint; readonly value: bigint }
}

type OpenOperation = { -readonly [Member in keyof VmOperation]: VmOperation[Member] }

/** An instruction whose effect is known when the next one of its frame starts. */
interface Running {
  readonly operation: OpenOperation
  readonly gas: number
  readonly pushes: number
  readonly written: { readonly offset: number; readonly size: number } | undefined
  readonly store: VmEffect['store']
  isFaulty: boolean
}

interface OpenFrame {
  readonly start: FrameStart
  readonly operations: OpenOperation[]
  running: Running | undefined
  /** Set when the frame has ended: filled in by `result`. */
  readonly trace: { code: Bytes; operations: readonly VmOperation[] }
}

/** JSON bytes of the members that are always present, of a word and of a store. */
const OPERATION_BYTES = 120
const WORD_BYTES = 40
const STORE_BYTES = 150

/** Records each instruction with what it wrote. */
export class VmTracer {
  readonly #budget: TraceBudget
  #frames: OpenFrame[] = []
  #all: OpenFrame[] = []

  constructor(deps: { readonly budget: TraceBudget }) {
    this.#budget = deps.budget
  }

  /** The message's own frame; without operations if no code ran. */
  result(change: StateChange): VmTrace {
    for (const { start, trace } of this.#all) {
      trace.code = codeOf(start, change)
      this.#budget.spend(2 * trace.code.length)
    }
    return this.#all[0]?.trace ?? { code: EMPTY_BYTES, operations: [] }
  }

  onBegin(): void {
    this.#frames = []
    this.#all = []
  }

  onEnter(start: FrameStart): void {
    const operations: OpenOperation[] = []
    const frame = { start, operations, running: undefined, trace: { code: EMPTY_BYTES, operations } }
    // A message of a plain transfer has a frame too, so that its result is empty instead of absent.
    if (this.#frames.length === 0) this.#all.push(frame)
    this.#frames.push(frame)
  }

  onExit({ error }: FrameEnd): void {
    const { running, operations, trace } = this.#frames.pop()!
    if (running !== undefined) finish(running, running.gas - running.operation.cost, error !== undefined)
    const caller = this.#frames.at(-1)?.running
    if (caller !== undefined && operations.length > 0) caller.operation.sub = trace
  }

  onStep(step: TraceStep): void {
    const frame = this.#frames.at(-1)!
    if (frame.running !== undefined) this.#complete(frame.running, step)
    if (frame.operations.length === 0 && this.#frames.length > 1) this.#all.push(frame)
    this.#budget.spend(OPERATION_BYTES)
    const { opcode, programCounter, gas } = step
    const operation: OpenOperation = { programCounter, opcode, cost: 0 }
    frame.operations.push(operation)
    const store =
      opcode === Opcode.SSTORE && step.stackSize >= 2 ? { key: step.word(0), value: step.word(1) } : undefined
    frame.running = {
      operation,
      gas,
      pushes: pushedWords(opcode),
      written: writtenMemory(step),
      store,
      isFaulty: false,
    }
  }

  onCharged({ cost, fault }: StepCost): void {
    const running = this.#frames.at(-1)?.running
    if (running === undefined) return
    running.operation.cost = cost
    running.isFaulty = fault !== undefined
  }

  /** @param next the machine after the instruction */
  #complete({ operation, pushes, written, store }: Running, next: TraceStep): void {
    const push = Array.from({ length: pushes }, (_, index) => next.word(pushes - 1 - index))
    const size = written === undefined ? 0 : Math.min(written.size, next.memorySize)
    this.#budget.spend(WORD_BYTES * pushes + 2 * size + (store === undefined ? 0 : STORE_BYTES))
    operation.effect = {
      gasLeft: next.gas,
      push,
      ...(written !== undefined &&
        size > 0 && { memory: { offset: written.offset, data: next.memorySlice(written.offset, size) } }),
      ...(store !== undefined && { store }),
    }
  }
}

/** The last instruction of a frame writes nothing. */
function finish({ operation, isFaulty }: Running, gasLeft: number, frameFailed: boolean): void {
  const reverts = operation.opcode === Opcode.REVERT
  if (isFaulty || (frameFailed && !reverts)) return
  operation.effect = { gasLeft, push: [] }
}

/** Code of the frame: the initcode of a creation, otherwise that of the account, or of its delegate (EIP-7702). */
function codeOf({ kind, to, input }: FrameStart, change: StateChange): Bytes {
  if (kind === 'CREATE' || kind === 'CREATE2') return input
  if (to === undefined) return EMPTY_BYTES
  const code = accountCode(to, change)
  const target = delegationOf(code)
  return target === undefined ? code : accountCode(target, change)
}

function accountCode(address: Address, { before, diff }: StateChange): Bytes {
  const account = diff.accounts.get(address)?.account ?? before.account(address)
  return account === undefined ? EMPTY_BYTES : (diff.code.get(account.codeHash) ?? before.code(account.codeHash))
}

/** Instructions that leave nothing on the stack, besides LOG. */
const PUSHES_NOTHING: ReadonlySet<number> = new Set<number>([
  Opcode.STOP,
  Opcode.CALLDATACOPY,
  Opcode.CODECOPY,
  Opcode.EXTCODECOPY,
  Opcode.RETURNDATACOPY,
  Opcode.POP,
  Opcode.MSTORE,
  Opcode.MSTORE8,
  Opcode.SSTORE,
  Opcode.JUMP,
  Opcode.JUMPI,
  Opcode.JUMPDEST,
  Opcode.TSTORE,
  Opcode.MCOPY,
  Opcode.RETURN,
  Opcode.REVERT,
  Opcode.INVALID,
  Opcode.SELFDESTRUCT,
])

/** Words from the top that the instruction may have written; DUP and SWAP count down to the word that they use. */
function pushedWords(opcode: number): number {
  if (opcode >= Opcode.DUP1 && opcode < Opcode.SWAP1) return opcode - Opcode.DUP1 + 2
  if (opcode >= Opcode.SWAP1 && opcode < Opcode.LOG0) return opcode - Opcode.SWAP1 + 2
  if (opcode >= Opcode.LOG0 && opcode < Opcode.LOG0 + 5) return 0
  return PUSHES_NOTHING.has(opcode) ? 0 : 1
}

/** Positions on the stack of the offset and the size of the memory that an instruction writes. */
const WRITES_MEMORY: ReadonlyMap<number, readonly [offset: number, size: number]> = new Map<number, [number, number]>([
  [Opcode.CALLDATACOPY, [0, 2]],
  [Opcode.CODECOPY, [0, 2]],
  [Opcode.RETURNDATACOPY, [0, 2]],
  [Opcode.MCOPY, [0, 2]],
  [Opcode.EXTCODECOPY, [1, 3]],
  [Opcode.CALL, [5, 6]],
  [Opcode.CALLCODE, [5, 6]],
  [Opcode.DELEGATECALL, [4, 5]],
  [Opcode.STATICCALL, [4, 5]],
])

/** Larger offsets and sizes fail: no gas limit pays for the memory. */
const MAX_MEMORY = 1n << 32n

function writtenMemory(step: TraceStep): Running['written'] {
  const { opcode, stackSize } = step
  if (opcode === Opcode.MSTORE) return stackSize < 2 ? undefined : memoryRange(step.word(0), 32n)
  if (opcode === Opcode.MSTORE8) return stackSize < 2 ? undefined : memoryRange(step.word(0), 1n)
  const positions = WRITES_MEMORY.get(opcode)
  if (positions === undefined || stackSize <= positions[1]) return undefined
  return memoryRange(step.word(positions[0]), step.word(positions[1]))
}

function memoryRange(offset: bigint, size: bigint): Running['written'] {
  if (size === 0n || offset >= MAX_MEMORY || size >= MAX_MEMORY) return undefined
  return { offset: Number(offset), size: Number(size) }
}
