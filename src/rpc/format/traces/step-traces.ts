import type { Trace } from '../../../engine/trace/create-tracer.ts'
import type { StepColumns, SteppedFrame } from '../../../engine/trace/steps/step-columns.ts'
import type { StepWindow } from '../../../engine/trace/steps/step-windows.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import type { Json, JsonRecord } from '../../protocol/json.ts'

/** Columns in base64, little-endian; the rest as JSON. */
export function formatStepColumns({ executed, columns }: Extract<Trace, { name: 'stepColumnsTracer' }>): JsonRecord {
  const { count, programCounters, opcodes, depths, gasLeft, frames, storage, preimages } = columns
  return {
    gas: executed.gasUsed,
    failed: executed.status !== 'success',
    returnValue: bytesToHex(executed.output),
    steps: count,
    pc: base64(programCounters),
    op: base64(opcodes),
    depth: base64(depths),
    gasLeft: base64(gasLeft),
    frames: frames.map(formatFrame),
    storage: storage.map(({ step, slot, value, isWrite }) => [step, toQuantity(slot), toQuantity(value), isWrite]),
    preimages: Array.from(preimages.values(), bytesToHex),
  }
}

/** Processors that run Node are little-endian. */
function base64({ buffer, byteOffset, byteLength }: StepColumns['gasLeft' | 'opcodes' | 'depths']): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

function formatFrame(frame: SteppedFrame): JsonRecord {
  return {
    type: frame.kind,
    firstStep: frame.firstStep,
    endStep: frame.endStep,
    depth: frame.depth,
    from: frame.from,
    to: frame.to,
    account: frame.account,
    input: bytesToHex(frame.input),
    value: frame.value === undefined ? undefined : toQuantity(frame.value),
    gas: frame.gas,
    gasUsed: frame.gasUsed,
    output: bytesToHex(frame.output),
    error: frame.error,
  }
}

/** The machine before each step of each window, as its difference to that before the last step of the window. */
export function formatStepWindows(windows: readonly StepWindow[]): Json {
  return windows.map(({ from, steps }) => ({
    from,
    steps: steps.map(({ kept, pushed, memory, returnData }) => ({
      kept,
      pushed: pushed.map(toQuantity),
      memory: memory && { size: memory.size, at: memory.at, data: bytesToHex(memory.bytes) },
      returnData: returnData && bytesToHex(returnData),
    })),
  }))
}
