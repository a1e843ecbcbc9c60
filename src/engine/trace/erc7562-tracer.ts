import type { Log } from '../../chain/receipt/log.ts'
import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import { bigintToSlot, wordToAddress } from '../../primitives/quantity.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { FrameEnd, FrameStart, Tracer, TraceStep } from '../tracer.ts'
import type { Executed } from '../types.ts'
import { type CallFrame, CallTracer, type TracedRequest } from './call-tracer.ts'
import { KeccakPreimageTracer } from './keccak-preimages.ts'
import type { TraceBudget } from './trace-budget.ts'

export interface Erc7562TracerOptions {
  readonly withLog?: boolean
  /** Opcodes that are not counted. Default: stack, arithmetic and comparison instructions. */
  readonly ignoredOpcodes?: readonly number[]
}

/** What a frame touched itself, without the frames that it called. */
export interface FrameAccesses {
  /** Values of slots that were read before the frame wrote them. */
  readonly reads: Map<Slot, bigint>
  readonly writes: Map<Slot, number>
  readonly transientReads: Map<Slot, number>
  readonly transientWrites: Map<Slot, number>
  /** Accounts whose code was looked at, except for comparing its size with zero. */
  readonly extCodeAccesses: Address[]
  readonly usedOpcodes: Map<number, number>
  readonly contractSizes: Map<Address, ContractSize>
}

interface ContractSize {
  /** Bytes of code. */
  readonly size: number
  /** First instruction that named the contract. */
  readonly opcode: number
}

export interface Erc7562Trace {
  readonly top: CallFrame
  /** In pre-order: the message's own frame, its first call, and so on. */
  readonly accesses: readonly FrameAccesses[]
  /** Input of each KECCAK256 of the message, sorted. */
  readonly preimages: readonly Bytes[]
}

interface Erc7562TracerDeps {
  readonly budget: TraceBudget
  /** The state in the middle of the message. */
  readonly state: StateReader
}

const ISZERO = 0x15
const EXTCODESIZE = 0x3b
const SLOAD = 0x54
const SSTORE = 0x55
const GAS = 0x5a
const TLOAD = 0x5c
const TSTORE = 0x5d
const RETURN = 0xf3
const REVERT = 0xfd
const PUSH0 = 0x5f
const SWAP16 = 0x9f
/** EXTCODESIZE, EXTCODECOPY, EXTCODEHASH: an address is on top of the stack. */
const EXT: ReadonlySet<number> = new Set([EXTCODESIZE, 0x3c, 0x3f])
/** CALL, CALLCODE, DELEGATECALL, STATICCALL: the address is below the gas. */
const CALLS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])
/** POP, ADD, SUB, MUL, DIV, EQ, LT, GT, SLT, SGT, SHL, SHR, AND, OR, NOT, ISZERO, and PUSH0 to SWAP16. */
const IGNORED: readonly number[] = [
  ...[0x50, 0x01, 0x03, 0x02, 0x04, 0x14, 0x10, 0x11, 0x12, 0x13, 0x1b, 0x1c, 0x16, 0x17, 0x19, ISZERO],
  ...Array.from({ length: SWAP16 - PUSH0 + 1 }, (_, index) => PUSH0 + index),
]

/** JSON bytes of the members of a frame that `callTracer` does not have, and of one entry in them. */
const FRAME_BYTES = 200
const ENTRY_BYTES = 150

/** go-ethereum's `erc7562Tracer`: what the validation rules of ERC-7562 are about, by call frame. */
export class Erc7562Tracer implements Tracer {
  readonly #deps: Erc7562TracerDeps
  readonly #ignored: ReadonlySet<number>
  readonly #calls: CallTracer
  readonly #keccak: KeccakPreimageTracer
  #accesses: FrameAccesses[] = []
  #open: FrameAccesses[] = []
  /** Instruction before the current one, in any frame, and the word on top of its stack. */
  #last: { readonly opcode: number; readonly top: bigint } | undefined

  constructor({ withLog = false, ignoredOpcodes = IGNORED }: Erc7562TracerOptions, deps: Erc7562TracerDeps) {
    this.#deps = deps
    this.#ignored = new Set(ignoredOpcodes)
    this.#calls = new CallTracer({ withLog }, deps)
    this.#keccak = new KeccakPreimageTracer(deps)
  }

  result(executed: Executed, request: TracedRequest): Erc7562Trace {
    // A deposit that could not run has no frame.
    const accesses = this.#accesses.length > 0 ? this.#accesses : [noAccesses()]
    const preimages = [...this.#keccak.preimages.values()].sort((a, b) => Buffer.compare(a, b))
    return { top: this.#calls.result(executed, request), accesses, preimages }
  }

  onBegin(): void {
    this.#calls.onBegin()
    this.#keccak.onBegin()
    this.#accesses = []
    this.#open = []
    this.#last = undefined
  }

  onEnter(start: FrameStart): void {
    this.#deps.budget.spend(FRAME_BYTES)
    this.#calls.onEnter(start)
    const accesses = noAccesses()
    this.#accesses.push(accesses)
    this.#open.push(accesses)
  }

  onExit(end: FrameEnd): void {
    this.#calls.onExit(end)
    this.#open.pop()
  }

  onLog(log: Log): void {
    this.#calls.onLog(log)
  }

  onStep(step: TraceStep): void {
    const { opcode, stackSize } = step
    const frame = this.#open.at(-1)!
    if (opcode === REVERT || opcode === RETURN) this.#last = undefined
    if (this.#last !== undefined) this.#noteLast(this.#last, opcode, frame)
    this.#noteContractSize(step, frame)
    if (opcode !== GAS && !this.#ignored.has(opcode)) this.#count(frame.usedOpcodes, opcode)
    this.#noteSlot(step, frame)
    this.#keccak.onStep(step)
    this.#last = { opcode, top: stackSize > 0 ? step.word(0) : 0n }
  }

  /** An instruction counts with the next one: GAS before a call is allowed, as is comparing a code size with zero. */
  #noteLast(last: { readonly opcode: number; readonly top: bigint }, opcode: number, frame: FrameAccesses): void {
    if (EXT.has(last.opcode) && !(last.opcode === EXTCODESIZE && opcode === ISZERO)) {
      this.#deps.budget.spend(ENTRY_BYTES)
      frame.extCodeAccesses.push(wordToAddress(last.top))
    }
    if (last.opcode === GAS && !CALLS.has(opcode)) this.#count(frame.usedOpcodes, GAS)
  }

  #noteContractSize(step: TraceStep, { contractSizes }: FrameAccesses): void {
    const { opcode, stackSize } = step
    const isExt = EXT.has(opcode)
    if (!isExt && !CALLS.has(opcode)) return
    const index = isExt ? 0 : 1
    if (stackSize <= index) return
    const address = wordToAddress(step.word(index))
    if (contractSizes.has(address)) return
    this.#deps.budget.spend(ENTRY_BYTES)
    const { state } = this.#deps
    const account = state.account(address)
    contractSizes.set(address, { size: account === undefined ? 0 : state.code(account.codeHash).length, opcode })
  }

  #noteSlot(step: TraceStep, frame: FrameAccesses): void {
    const { opcode, stackSize } = step
    if (stackSize < 1 || !(opcode === SLOAD || opcode === SSTORE || opcode === TLOAD || opcode === TSTORE)) return
    const slot = bigintToSlot(step.word(0))
    if (opcode === SSTORE) this.#count(frame.writes, slot)
    else if (opcode === TLOAD) this.#count(frame.transientReads, slot)
    else if (opcode === TSTORE) this.#count(frame.transientWrites, slot)
    else if (!frame.reads.has(slot) && !frame.writes.has(slot)) {
      this.#deps.budget.spend(ENTRY_BYTES)
      frame.reads.set(slot, this.#deps.state.storage(step.address, slot))
    }
  }

  #count<K>(counts: Map<K, number>, key: K): void {
    const count = counts.get(key)
    if (count === undefined) this.#deps.budget.spend(ENTRY_BYTES)
    counts.set(key, (count ?? 0) + 1)
  }
}

function noAccesses(): FrameAccesses {
  return {
    reads: new Map(),
    writes: new Map(),
    transientReads: new Map(),
    transientWrites: new Map(),
    extCodeAccesses: [],
    usedOpcodes: new Map(),
    contractSizes: new Map(),
  }
}
