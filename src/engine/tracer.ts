import type { Log } from '../chain/receipt/log.ts'
import type { Address, Bytes } from '../primitives/hex.ts'
import type { HaltReason } from './halt-reason.ts'
import type { Message } from './interpreter.ts'

/** The machine before an instruction. Valid only during `onStep`: the object is reused. */
export interface TraceStep {
  readonly programCounter: number
  readonly opcode: number
  /** Before the instruction; exact up to 2^53, as all gas here. */
  readonly gas: number
  /** Storage refund so far. */
  readonly refund: number
  /** 1 in the message's own frame. */
  readonly depth: number
  /** Account whose storage and balance the frame uses. */
  readonly address: Address
  /** Words on the stack. */
  readonly stackSize: number
  /** Word of the stack; 0 is the top. */
  word(index: number): bigint
  /** Bytes, whole words. */
  readonly memorySize: number
  memory(): Bytes
  /** Bytes of memory from `offset`; those beyond its end are absent. */
  memorySlice(offset: number, size: number): Bytes
  /** Return data of the frame's last call. */
  returnData(): Bytes
}

/** Result of the last step. Valid only during `onCharged`. */
export interface StepCost {
  /** Includes the gas passed to a called frame but not to a creation, as in go-ethereum. */
  readonly cost: number
  /** Why the frame halts with this instruction. */
  readonly fault?: HaltReason
  /** Top of the stack now. */
  top(): bigint
}

/** Instruction that opened a frame; CALL or CREATE for the message's own. */
export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'

/** Start of a frame: code, a precompile, a plain transfer, a refused call or creation, or a SELFDESTRUCT. */
export interface FrameStart {
  readonly kind: FrameKind
  /** 0 for the message's own frame. */
  readonly depth: number
  readonly from: Address
  /** Account whose code runs; the new contract of a creation, the beneficiary of a SELFDESTRUCT. Absent if refused. */
  readonly to?: Address
  readonly input: Bytes
  /** Including the stipend. */
  readonly gas: number
  /** Wei; a DELEGATECALL has that of its caller, a STATICCALL none. */
  readonly value?: bigint
}

export interface FrameEnd {
  readonly depth: number
  /** Return data, revert data or the deployed code. */
  readonly output: Bytes
  readonly gasUsed: number
  readonly error?: HaltReason | 'execution reverted'
}

/** Observes a message, in execution order. An exception in a hook stops the run and reverts it. */
export interface Tracer {
  /** The message starts; called again if the run is repeated. */
  onBegin?(message: Message): void
  onStep?(step: TraceStep): void
  /** Once per step: after it, but before the frame that it opens starts or its own ends. */
  onCharged?(charge: StepCost): void
  onEnter?(start: FrameStart): void
  onExit?(end: FrameEnd): void
  /** The frame may still fail. */
  onLog?(log: Log): void
}
