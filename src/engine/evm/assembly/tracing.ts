import { CONTINUE } from '../abi/status.ts'
import * as Frame from './execution/frames.ts'
import { RULES } from './gas-table.ts'
import { refund } from './state/session-state.ts'

/**
 * What the tracing build of the interpreter tells the host. The compiler gets the constant `TRACING` for it and not for
 * the other build, where everything behind `if (TRACES)` is not even compiled.
 */
export const TRACES: bool = isDefined(TRACING)

declare function onStep(
  programCounter: usize,
  opcode: u32,
  gas: f64,
  refund: f64,
  depth: i32,
  self: usize,
  stack: usize,
  stackPointer: usize,
  memory: usize,
  memorySize: usize,
): void

declare function onCharged(cost: f64, status: u32, stackPointer: usize): void

declare function onEnter(
  opcode: u32,
  from: usize,
  to: usize,
  value: usize,
  input: usize,
  inputSize: usize,
  gas: f64,
): void

declare function onExit(status: u32, output: usize, size: usize, gasLeft: f64): void

declare function onLog(log: usize): void

let tracesMessage = false
let tracesSteps = false
/** What the last step costs is not known yet. */
let isOpen = false
let gasBefore: i64 = 0
/** The instruction runs again: the host has brought what it needed. It was told already. */
let isRepeated = false

/** For the message that comes. */
export function setTracing(isTraced: bool, hasSteps: bool): void {
  tracesMessage = isTraced
  tracesSteps = isTraced && hasSteps
  isOpen = false
  isRepeated = false
}

/** Before each instruction; `gas` is what there is before it. */
export function traceStep(opcode: u32, gas: i64, programCounter: usize, stackPointer: usize): void {
  // Where there is no code nothing runs, not even the STOP behind it (go-ethereum).
  if (!tracesSteps || Frame.codeSize === 0) return
  if (isRepeated) {
    isRepeated = false
  } else {
    Frame.setStackPointer(stackPointer)
    traceCost(gas, CONTINUE)
    isOpen = true
    gasBefore = gas
    onStep(
      programCounter - Frame.codeStart,
      opcode,
      <f64>gas,
      <f64>refund,
      Frame.depth + 1,
      load<usize>(Frame.frame, Frame.SELF),
      Frame.stackBase,
      stackPointer,
      Frame.memoryBase,
      Frame.memorySize,
    )
  }
  // Until the instruction charges more it costs what the table says, also when there is less.
  Frame.setGas(gas - <i64>(load<u64>(RULES + (opcode << 3)) & 0xffffffff))
}

/** The instruction comes again. */
export function expectRepetition(): void {
  isRepeated = isOpen
}

/** What the last step cost, once; before it opens a frame, if it does. `status`: the fault that ended it. */
export function traceCost(gasLeft: i64, status: u32): void {
  if (!isOpen) return
  isOpen = false
  onCharged(<f64>(gasBefore - gasLeft), status, Frame.stackPointer)
}

/** A frame begins, or one that is refused: `traceExit` follows for either. `to` is 0 when no account was looked for. */
export function traceEntry(
  opcode: u32,
  from: usize,
  to: usize,
  value: usize,
  input: usize,
  inputSize: usize,
  gas: i64,
): void {
  if (!tracesMessage) return
  traceCost(Frame.gasLeft, CONTINUE)
  onEnter(opcode, from, to, value, input, inputSize, <f64>gas)
}

export function traceExit(status: u32, output: usize, size: usize, gasLeft: i64): void {
  if (tracesMessage) onExit(status, output, size, <f64>gasLeft)
}

export function traceLog(log: usize): void {
  if (tracesMessage) onLog(log)
}
