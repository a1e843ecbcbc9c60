import type { Bytes, Hex } from '../../primitives/hex.ts'
import { bytesOfDigits } from '../bytecode/portable-bytes.ts'

/** Calls within calls that the EVM allows. */
export const MAX_CALL_DEPTH = 1_024

/** A call or creation of a trace. A call of a precompile, or of an account without code, has no steps. */
export interface TraceFrame {
  readonly index: number
  /** Absent for the frame of the transaction. */
  readonly parent?: number
  /** `CALL`, `CREATE`, `DELEGATECALL`, … */
  readonly type: string
  /** Its first step, or the step that follows it. */
  readonly firstStep: number
  /** The step behind its last one. */
  readonly endStep: number
  /** 0 for the frame of the transaction. */
  readonly depth: number
  readonly from: string
  /** Account whose code runs; the contract of a creation. */
  readonly to?: string
  /** Account whose storage it uses; absent if no code ran. */
  readonly account?: string
  readonly input: Bytes
  readonly value: bigint
  readonly gas: number
  readonly gasUsed: number
  readonly output: Bytes
  readonly error?: string
}

/** An access to a slot, with its value after the step. */
export interface SlotAccess {
  readonly step: number
  readonly slot: bigint
  readonly value: bigint
  readonly isWrite: boolean
}

/** A transaction or call as steps, without stack and memory. */
export interface StepTrace {
  readonly count: number
  readonly programCounters: Uint32Array
  readonly opcodes: Uint8Array
  /** 1 in the frame of the transaction. */
  readonly depths: Uint16Array
  /** Gas before each step. */
  readonly gasLeft: Uint32Array
  /** In the order of their beginnings. */
  readonly frames: readonly TraceFrame[]
  readonly storage: readonly SlotAccess[]
  /** Inputs of KECCAK256 that may be keys of mappings. */
  readonly preimages: readonly Bytes[]
  readonly gasUsed: number
  readonly failed: boolean
  readonly returnValue: Hex
}

/** The answer of the tracer `stepColumnsTracer`. */
export interface StepColumnsJson {
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: Hex
  readonly steps: number
  readonly pc: string
  readonly op: string
  readonly depth: string
  readonly gasLeft: string
  readonly frames: readonly FrameJson[]
  readonly storage: readonly (readonly [step: number, slot: string, value: string, isWrite: boolean])[]
  readonly preimages: readonly string[]
}

interface FrameJson {
  readonly type: string
  readonly firstStep: number
  readonly endStep: number
  readonly depth: number
  readonly from: string
  readonly to?: string
  readonly account?: string
  readonly input: string
  readonly value?: string
  readonly gas: number
  readonly gasUsed: number
  readonly output: string
  readonly error?: string
}

/** Reads the answer of the tracer `stepColumnsTracer`. */
export function stepTraceOf(json: StepColumnsJson): StepTrace {
  return {
    count: json.steps,
    programCounters: new Uint32Array(columnBytes(json.pc)),
    opcodes: new Uint8Array(columnBytes(json.op)),
    depths: new Uint16Array(columnBytes(json.depth)),
    gasLeft: new Uint32Array(columnBytes(json.gasLeft)),
    frames: framesOf(json.frames),
    storage: json.storage.map(([step, slot, value, isWrite]) => ({
      step,
      slot: BigInt(slot),
      value: BigInt(value),
      isWrite,
    })),
    preimages: json.preimages.map(bytesOfHex),
    gasUsed: json.gas,
    failed: json.failed,
    returnValue: json.returnValue,
  }
}

function columnBytes(base64: string): ArrayBuffer {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes.buffer
}

/** Bytes of hex with `0x`; none for anything else. */
export function bytesOfHex(hex: string): Bytes {
  return bytesOfDigits(hex.slice(2)) ?? new Uint8Array(0)
}

function framesOf(frames: readonly FrameJson[]): readonly TraceFrame[] {
  /** Indexes of the frames that are open, by depth. */
  const open: number[] = []
  return frames.map((frame, index) => {
    const parent = frame.depth === 0 ? undefined : open[frame.depth - 1]
    open[frame.depth] = index
    const { input, value = '0x0', output, ...same } = frame
    return {
      ...same,
      index,
      ...(parent !== undefined && { parent }),
      input: bytesOfHex(input),
      value: BigInt(value),
      output: bytesOfHex(output),
    }
  })
}

/** The innermost frame of each step, by its index. */
export function framesOfSteps({ count, frames }: StepTrace): Int32Array {
  const found = new Int32Array(count)
  // Frames come in the order of their beginnings: inner ones overwrite those around them.
  for (const { index, firstStep, endStep } of frames) found.fill(index, firstStep, endStep)
  return found
}

/** The last step of a frame itself, without those of frames within it; `undefined`: no code ran. */
export function lastOwnStep(
  frameOf: Int32Array,
  { index, firstStep, endStep }: Pick<TraceFrame, 'index' | 'firstStep' | 'endStep'>,
): number | undefined {
  for (let step = endStep - 1; step >= firstStep; step--) if (frameOf[step] === index) return step
  return undefined
}
