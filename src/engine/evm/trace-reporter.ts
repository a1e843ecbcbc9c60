import { type Address, type Bytes, EMPTY_BYTES } from '../../primitives/hex.ts'
import type { Message } from '../interpreter.ts'
import type { FrameEnd, FrameKind, StepCost, Tracer, TraceStep } from '../tracer.ts'
import * as Opcode from './abi/opcodes.ts'
import * as Status from './abi/status.ts'
import { haltReason } from './halt-reasons.ts'
import type { TraceHooks } from './traced-evm.ts'
import { readEmittedLog } from './wasm-log.ts'
import type { WasmState } from './wasm-state.ts'

const KINDS: Readonly<Record<number, FrameKind>> = {
  [Opcode.CREATE]: 'CREATE',
  [Opcode.CALL]: 'CALL',
  [Opcode.CALLCODE]: 'CALLCODE',
  [Opcode.DELEGATECALL]: 'DELEGATECALL',
  [Opcode.CREATE2]: 'CREATE2',
  [Opcode.STATICCALL]: 'STATICCALL',
  [Opcode.SELFDESTRUCT]: 'SELFDESTRUCT',
}

/** Translates the hooks of the tracing build for a tracer. */
export class TraceReporter implements TraceHooks {
  private readonly state: WasmState
  private readonly nextTracer: () => Tracer | undefined
  private readonly machine: Machine
  private tracer: Tracer = {}
  /** Initial gas of each open frame. */
  private readonly gas: number[] = []

  /** @param deps.nextTracer returns the tracer of each message when it starts; `undefined`: not traced */
  constructor(deps: { readonly state: WasmState; readonly nextTracer: () => Tracer | undefined }) {
    this.state = deps.state
    this.nextTracer = deps.nextTracer
    this.machine = new Machine(deps.state)
  }

  /** Call after `beginTransaction`. */
  begin(message: Message): void {
    const tracer = this.nextTracer()
    const hasSteps = tracer?.onStep !== undefined || tracer?.onCharged !== undefined
    this.state.evm.exports.setTracing?.(tracer === undefined ? 0 : 1, hasSteps ? 1 : 0)
    this.tracer = tracer ?? {}
    this.gas.length = 0
    tracer?.onBegin?.(message)
  }

  step(
    programCounter: number,
    opcode: number,
    gas: number,
    refund: number,
    depth: number,
    self: number,
    stack: number,
    stackPointer: number,
    memory: number,
    memorySize: number,
  ): void {
    const { machine } = this
    machine.programCounter = programCounter
    machine.opcode = opcode
    machine.gas = gas
    machine.refund = refund
    machine.depth = depth
    machine.self = self
    machine.stackPointer = stackPointer >>> 0
    machine.stackSize = (stackPointer - stack) >>> 5
    machine.memoryAt = memory >>> 0
    machine.memorySize = memorySize
    this.tracer.onStep?.(machine)
  }

  charged(cost: number, status: number, stackPointer: number): void {
    const { machine } = this
    machine.cost = cost
    machine.fault = status === Status.CONTINUE ? undefined : haltReason(status, machine.opcode)
    machine.stackPointer = stackPointer >>> 0
    this.tracer.onCharged?.(machine.charge())
  }

  enter(opcode: number, from: number, to: number, value: number, input: number, size: number, gas: number): void {
    const { evm } = this.state
    const kind = KINDS[opcode]!
    const depth = this.gas.length
    this.gas.push(gas)
    this.tracer.onEnter?.({
      kind,
      depth,
      from: this.state.addressOf(from),
      ...(to !== 0 && { to: this.state.addressOf(to) }),
      input: size === 0 ? EMPTY_BYTES : evm.copy(input >>> 0, size),
      gas,
      ...(kind !== 'STATICCALL' && { value: evm.word(value >>> 0) }),
    })
  }

  exit(status: number, output: number, size: number, gasLeft: number): void {
    const { evm } = this.state
    const gasUsed = this.gas.pop()! - gasLeft
    this.tracer.onExit?.({
      depth: this.gas.length,
      output: size === 0 ? EMPTY_BYTES : evm.copy(output >>> 0, size),
      gasUsed,
      ...errorOf(status, evm.exports.invalidOpcode()),
    })
  }

  log(log: number): void {
    this.tracer.onLog?.(readEmittedLog(this.state, log >>> 0))
  }
}

function errorOf(status: number, opcode: number): Pick<FrameEnd, 'error'> {
  if (status === Status.STOPPED) return {}
  return { error: status === Status.REVERTED ? 'execution reverted' : haltReason(status, opcode) }
}

/** Reads the machine lazily, so that a tracer pays only for what it reads. */
class Machine implements TraceStep {
  programCounter = 0
  opcode = 0
  gas = 0
  refund = 0
  depth = 0
  stackSize = 0
  memorySize = 0
  self = 0
  stackPointer = 0
  memoryAt = 0
  cost = 0
  fault: StepCost['fault']
  private readonly state: WasmState

  constructor(state: WasmState) {
    this.state = state
  }

  get address(): Address {
    return this.state.addressOf(this.self)
  }

  word(index: number): bigint {
    return this.state.evm.word(this.stackPointer - 32 * (index + 1))
  }

  memory(): Bytes {
    return this.memorySize === 0 ? EMPTY_BYTES : this.state.evm.copy(this.memoryAt, this.memorySize)
  }

  memorySlice(offset: number, size: number): Bytes {
    const present = Math.min(size, this.memorySize - offset)
    return present <= 0 ? EMPTY_BYTES : this.state.evm.copy(this.memoryAt + offset, present)
  }

  returnData(): Bytes {
    const { evm } = this.state
    const size = evm.exports.outputLength()
    return size === 0 ? EMPTY_BYTES : evm.copy(evm.exports.outputAt(), size)
  }

  charge(): StepCost {
    const { cost, fault } = this
    return { cost, ...(fault !== undefined && { fault }), top: () => this.word(0) }
  }
}
