import type { QuickJSWASMModule } from 'quickjs-emscripten-core'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import {
  type Address,
  type Bytes,
  bytesToHex,
  EMPTY_BYTES,
  hexToBytes,
  type Slot,
  toAddress,
  ZERO_ADDRESS,
} from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToWord, bytesToBigint } from '../../primitives/quantity.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { FrameEnd, FrameStart, StepCost, Tracer, TraceStep } from '../tracer.ts'
import type { Executed } from '../types.ts'
import type { TracedRequest } from './call-tracer.ts'
import type { TransactionPosition } from './flat-call-tracer.ts'
import { PRELUDE } from './javascript-prelude.ts'
import { type HostValue, JavaScriptTracerError, Sandbox } from './javascript-sandbox.ts'
import { paddedMemory } from './keccak-preimages.ts'
import { opcodeName } from './opcode-names.ts'
import type { TraceBudget } from './trace-budget.ts'

export interface JavaScriptTracerOptions {
  /** An expression that evaluates to an object with `result` and `fault`, as go-ethereum takes it. */
  readonly code: string
  /** JSON of `tracerConfig`, for `setup`. */
  readonly config: string
}

interface JavaScriptTracerDeps {
  readonly quickJs: QuickJSWASMModule
  readonly budget: TraceBudget
  readonly precompiles: ReadonlySet<Address>
  readonly coinbase: Address
  readonly blockNumber: number
  readonly baseFee: bigint
  readonly state: StateReader
  readonly costs: StepCosts
  readonly position?: TransactionPosition
}

interface OpenFrame {
  readonly caller: Address
  readonly value: bigint
  readonly input: Bytes
}

const REVERT = 0xfd

/** A tracer in JavaScript with go-ethereum's interface (eth/tracers/js/goja.go), in a sandbox. */
export class JavaScriptTracer implements Tracer {
  readonly #options: JavaScriptTracerOptions
  readonly #deps: JavaScriptTracerDeps
  #sandbox: Sandbox | undefined
  #hasSteps = false
  #hasFrames = false
  #open: OpenFrame[] = []
  #top: { readonly start: FrameStart; end?: FrameEnd } | undefined
  #step: TraceStep | undefined
  #cost = 0
  #error: string | undefined
  #start: FrameStart | undefined
  #end: FrameEnd | undefined

  constructor(options: JavaScriptTracerOptions, deps: JavaScriptTracerDeps) {
    this.#options = options
    this.#deps = deps
  }

  onBegin(): void {
    this.dispose()
    const { code, config } = this.#options
    this.#sandbox = new Sandbox(this.#deps.quickJs, PRELUDE, [code, config], (name, args) => this.#answer(name, args))
    const hooks = this.#sandbox.text('hooks')
    this.#hasSteps = hooks.includes('step')
    this.#hasFrames = hooks.includes('enter')
    this.#deps.costs.rewind()
    this.#open = []
    this.#top = undefined
  }

  onStep(step: TraceStep): void {
    const { cost, fault } = this.#deps.costs.next()
    this.#step = step
    this.#cost = cost
    this.#error = fault !== undefined && isEarly(fault) ? fault : undefined
    if (this.#hasSteps) this.#sandbox?.call('step', [stepText(step, cost)])
  }

  onCharged({ fault }: StepCost): void {
    const error = fault ?? (this.#step?.opcode === REVERT ? 'execution reverted' : undefined)
    if (error === undefined || isEarly(error)) return
    this.#error = error
    if (this.#step !== undefined) this.#sandbox?.call('fault', [stepText(this.#step, this.#cost)])
  }

  onEnter(start: FrameStart): void {
    const outer = this.#open.at(-1)
    const isDelegate = start.kind === 'DELEGATECALL' && outer !== undefined
    this.#open.push({
      caller: isDelegate ? outer.caller : start.from,
      value: isDelegate ? outer.value : (start.value ?? 0n),
      input: start.kind.startsWith('CREATE') ? EMPTY_BYTES : start.input,
    })
    this.#start = start
    if (start.depth === 0) this.#top = { start }
    else if (this.#hasFrames) this.#sandbox?.call('enter')
  }

  onExit(end: FrameEnd): void {
    this.#open.pop()
    this.#end = end
    if (end.depth === 0 && this.#top !== undefined) this.#top.end = end
    else if (this.#hasFrames) this.#sandbox?.call('exit')
  }

  /**
   * JSON text that the tracer returns.
   *
   * @throws JavaScriptTracerError, TraceTooLargeError
   */
  result(executed: Executed, request: TracedRequest): string {
    // A deposit that could not run has not begun.
    if (this.#sandbox === undefined) this.onBegin()
    this.#step = undefined
    const text = this.#sandbox!.call('result', [JSON.stringify(this.#context(executed, request))])
    this.#deps.budget.spend(text.length)
    return text
  }

  dispose(): void {
    this.#sandbox?.dispose()
    this.#sandbox = undefined
  }

  #context({ gasUsed, output, halt, status, effectiveGasPrice }: Executed, request: TracedRequest): object {
    const { coinbase, blockNumber, baseFee, position } = this.#deps
    const { from, to, gasLimit, value, data } = request
    const error = halt ?? this.#top?.end?.error ?? (status === 'revert' ? 'execution reverted' : undefined)
    const tip = effectiveGasPrice - baseFee
    return {
      type: to === null ? 'CREATE' : 'CALL',
      from,
      to: to ?? this.#top?.start.to ?? ZERO_ADDRESS,
      input: bytesToHex(data),
      gas: Number(gasLimit),
      gasUsed,
      value: String(value),
      gasPrice: String(tip > 0n ? tip : 0n),
      output: bytesToHex(this.#top?.end?.output ?? output),
      ...(error !== undefined && { error }),
      block: blockNumber,
      coinbase,
      ...(position && { blockHash: position.blockHash, txHash: position.hash, txIndex: position.index }),
    }
  }

  #answer(name: string, args: readonly HostValue[]): HostValue {
    return this.#ofFrame(name) ?? this.#ofStep(name, args) ?? this.#ofChain(name, args)
  }

  #ofFrame(name: string): HostValue {
    switch (name) {
      case 'frameType':
        return this.#start?.kind
      case 'frameFrom':
        return addressBytes(this.#start?.from)
      case 'frameTo':
        return addressBytes(this.#start?.to)
      case 'frameInput':
        return this.#start?.input ?? EMPTY_BYTES
      case 'frameGas':
        return this.#start?.gas
      case 'frameValue':
        return this.#start?.value?.toString()
      case 'frameGasUsed':
        return this.#end?.gasUsed
      case 'frameOutput':
        return this.#end?.output ?? EMPTY_BYTES
      case 'frameError':
        return this.#end?.error
      case 'caller':
        return addressBytes(this.#open.at(-1)?.caller)
      case 'value':
        return this.#open.at(-1)?.value.toString()
      case 'input':
        return this.#open.at(-1)?.input ?? EMPTY_BYTES
      case 'error':
        return this.#error
      default:
        return undefined
    }
  }

  #ofStep(name: string, [first, second]: readonly HostValue[]): HostValue {
    const step = this.#step
    if (step === undefined) return undefined
    switch (name) {
      case 'address':
        return addressBytes(step.address)
      case 'peek': {
        const index = wholeNumber(first)
        if (index >= step.stackSize) {
          throw new RangeError(`tracer accessed out of bound stack: size ${step.stackSize}, index ${index}`)
        }
        return `0x${step.word(index).toString(16)}`
      }
      case 'memory':
        return memoryBetween(step, wholeNumber(first), wholeNumber(second))
      case 'memoryWord': {
        const offset = wholeNumber(first)
        if (offset + 32 > step.memorySize) {
          throw new RangeError(
            `tracer accessed out of bound memory: available ${step.memorySize}, offset ${offset}, size 32`,
          )
        }
        return bytesToBigint(step.memorySlice(offset, 32)).toString()
      }
      default:
        return undefined
    }
  }

  #ofChain(name: string, [first, second, third]: readonly HostValue[]): HostValue {
    const { state, precompiles } = this.#deps
    const address = () => toAddress(String(first))
    switch (name) {
      case 'balance':
        return (state.account(address())?.balance ?? 0n).toString()
      case 'nonce':
        return Number(state.account(address())?.nonce ?? 0n)
      case 'code': {
        const account = state.account(address())
        return account === undefined ? EMPTY_BYTES : state.code(account.codeHash)
      }
      case 'storage':
        return bigintToWord(state.storage(address(), String(second) as Slot))
      case 'exists':
        return state.account(address()) === undefined ? 0 : 1
      case 'isPrecompiled':
        return precompiles.has(address()) ? 1 : 0
      case 'contract':
        return addressBytes(createAddress(address(), BigInt(wholeNumber(Number(second)))))
      case 'contract2': {
        const codeHash = keccakHash(hexToBytes(String(third)))
        return hexToBytes(
          keccakHash(hexToBytes(`0xff${address().slice(2)}${String(second).slice(2)}${codeHash.slice(2)}`)),
        ).subarray(12)
      }
      default:
        return undefined
    }
  }
}

/** go-ethereum reports these with the step; others happen in it, and are reported to `fault`. */
function isEarly(error: NonNullable<FrameEnd['error']>): boolean {
  return (
    error === 'out of gas' ||
    error === 'gas uint64 overflow' ||
    error === 'stack underflow' ||
    error === 'stack limit reached'
  )
}

/** Words of the stack that most tracers read. */
const STEP_WORDS = 3

/** Values of a step that the prelude reads without a call of the host, in the order of its constants. */
function stepText(step: TraceStep, cost: number): string {
  const { opcode, programCounter, gas, depth, refund, stackSize, memorySize } = step
  const numbers = `${opcode},${programCounter},${gas},${cost},${depth},${refund},${stackSize},${memorySize}`
  let text = `${numbers},${opcodeName(opcode)}`
  for (let index = 0; index < STEP_WORDS && index < stackSize; index++) text += `,0x${step.word(index).toString(16)}`
  return text
}

function addressBytes(address: Address | undefined): Bytes {
  return hexToBytes(address ?? ZERO_ADDRESS)
}

function wholeNumber(value: HostValue): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new RangeError(`tracer passed ${String(value).slice(0, 50)} where a whole number belongs`)
}

function memoryBetween(step: TraceStep, start: number, end: number): Bytes {
  const bytes = end < start ? undefined : paddedMemory(step, BigInt(start), BigInt(end - start))
  if (bytes !== undefined) return bytes
  throw new RangeError(`tracer accessed out of bound memory: offset ${start}, end ${end}`)
}

type KnownCost = Pick<StepCost, 'cost' | 'fault'>

/** Bytes of memory for their costs, and more than a tracer can take in its time. */
const MAX_STEPS = 4_000_000

/**
 * The cost of each instruction of a message, from a run before the traced one. go-ethereum names it before the step,
 * and this interpreter knows it only after.
 */
export class StepCosts implements Tracer {
  #costs: number[] = []
  readonly #faults = new Map<number, StepCost['fault']>()
  #next = 0

  onBegin(): void {
    this.#costs = []
    this.#faults.clear()
  }

  onCharged({ cost, fault }: StepCost): void {
    if (this.#costs.length === MAX_STEPS) {
      throw new JavaScriptTracerError(`the message has more than ${MAX_STEPS} steps, too many for a JavaScript tracer`)
    }
    if (fault !== undefined) this.#faults.set(this.#costs.length, fault)
    this.#costs.push(cost)
  }

  rewind(): void {
    this.#next = 0
  }

  next(): KnownCost {
    const fault = this.#faults.get(this.#next)
    const cost = this.#costs[this.#next] ?? 0
    this.#next++
    return { cost, ...(fault !== undefined && { fault }) }
  }
}
