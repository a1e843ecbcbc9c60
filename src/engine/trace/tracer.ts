import type { Log } from '../../chain/receipt/log.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { HaltReason } from '../halt-reason.ts'
import type { Message } from '../interpreter.ts'

/** The machine before an instruction. Only to be read while `onStep` runs: it is the same object each time. */
export interface TraceStep {
  readonly programCounter: number
  readonly opcode: number
  /** Before the instruction, exact up to 2^53, as all gas here. */
  readonly gas: number
  /** What clearing storage has earned so far. */
  readonly refund: number
  /** 1 in the message's own frame. */
  readonly depth: number
  /** Whose storage and balance the frame works on. */
  readonly address: Address
  /** Words on the stack. */
  readonly stackSize: number
  /** Of the stack; 0 is the top. */
  word(index: number): bigint
  /** Bytes, whole words. */
  readonly memorySize: number
  memory(): Bytes
  /** What the last call of the frame returned. */
  returnData(): Bytes
}

/** What became of the last step. Only to be read while `onCharged` runs. */
export interface StepCost {
  /** The gas that a call gives to its frame included, that of a creation not (go-ethereum). */
  readonly cost: number
  /** Why the frame ends with this instruction, other than by returning or reverting. */
  readonly fault?: HaltReason
  /** The top of the stack now. */
  top(): bigint
}

/** Which instruction opened a frame; the message's own is a CALL or a CREATE. */
export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'

/** A frame begins: code, a precompile, a transfer alone, a call or creation that is refused; or a SELFDESTRUCT. */
export interface FrameStart {
  readonly kind: FrameKind
  /** 0 for the message's own. */
  readonly depth: number
  readonly from: Address
  /** Whose code it is; of a creation what it makes, of a SELFDESTRUCT who gets the balance. Absent: it was refused. */
  readonly to?: Address
  readonly input: Bytes
  /** Stipend included. */
  readonly gas: number
  /** Wei; that of a DELEGATECALL is its caller's, a STATICCALL has none. */
  readonly value?: bigint
}

export interface FrameEnd {
  readonly depth: number
  /** Return data, revert data or the new code. */
  readonly output: Bytes
  readonly gasUsed: number
  readonly error?: HaltReason | 'execution reverted'
}

/** Is told what a message does, in the order in which it happens. A hook that throws ends the run without a trace. */
export interface Tracer {
  /** The message begins; also again, from the beginning, when a run was given up and is repeated. */
  onBegin?(message: Message): void
  onStep?(step: TraceStep): void
  /** Once for each step: after it, but before the frame that it opens and before the end of its own. */
  onCharged?(charge: StepCost): void
  onEnter?(start: FrameStart): void
  onExit?(end: FrameEnd): void
  /** Of a frame that may yet fail. */
  onLog?(log: Log): void
}
