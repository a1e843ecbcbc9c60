import { CONTINUE } from '../abi/status.ts'
import { GAS_TABLE, isInstruction } from './gas-table.ts'
import * as Frame from './memory/frames.ts'
import { refund } from './session-state.ts'

/**
 * Hooks of the tracing build, which the host implements. The constant `TRACING` is defined for that build only; in the
 * other one everything behind `if (TRACES)` is not compiled.
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
/** The cost of the last step is not known yet. */
let isOpen = false
let gasBefore: i64 = 0
/** The instruction starts over after an exit; it was reported already. */
let isRepeated = false

/** For the next message. */
export function setTracing(isTraced: bool, hasSteps: bool): void {
  tracesMessage = isTraced
  tracesSteps = isTraced && hasSteps
  isOpen = false
  isRepeated = false
}

/** Called before each instruction; `gas` is the gas before it. */
export function traceStep(opcode: u32, gas: i64, programCounter: usize, stackPointer: usize): void {
  // Without code nothing runs, not even the implicit STOP, as in go-ethereum.
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
  // Until the instruction charges more, its cost is that of the table, even if there is less gas.
  Frame.setGas(gas - (isInstruction(opcode) ? load<i64>(GAS_TABLE + (opcode << 3)) : 0))
}

/** The instruction will start over. */
export function expectRepetition(): void {
  isRepeated = isOpen
}

/** Reports the cost of the last step once, before any frame that it opens. `status`: the fault that ended it. */
export function traceCost(gasLeft: i64, status: u32): void {
  if (!isOpen) return
  isOpen = false
  onCharged(<f64>(gasBefore - gasLeft), status, Frame.stackPointer)
}

/** A frame starts or is refused; `traceExit` follows in either case. `to` is 0 if no account was accessed. */
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
