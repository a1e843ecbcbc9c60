import type { Address, Hash } from '../../primitives/hex.ts'
import type { FrameEnd, FrameStart, Tracer } from '../tracer.ts'
import type { Executed } from '../types.ts'
import { type CallFrame, CallTracer, type TracedRequest } from './call-tracer.ts'
import type { TraceBudget } from './trace-budget.ts'

export interface FlatCallTracerOptions {
  /** Errors in the words of OpenEthereum. */
  readonly convertParityErrors?: boolean
  /** Includes calls to precompiles. */
  readonly includePrecompiles?: boolean
}

/** Where a traced transaction is. */
export interface TransactionPosition {
  readonly blockHash: Hash
  readonly blockNumber: number
  readonly hash: Hash
  /** In the block. */
  readonly index: number
}

/** A frame of the flat list, which is in pre-order. */
export interface FlatCall {
  readonly frame: CallFrame
  /** Index of the frame in each of its callers, from the message's own frame, whose address is empty. */
  readonly traceAddress: readonly number[]
  /** Frames that it called directly. */
  readonly subtraces: number
}

export interface FlatCalls {
  readonly calls: readonly FlatCall[]
  readonly convertParityErrors: boolean
  /** Absent for a call. */
  readonly position?: TransactionPosition
}

interface FlatCallTracerDeps {
  readonly budget: TraceBudget
  readonly precompiles: ReadonlySet<Address>
  readonly position?: TransactionPosition
}

/** JSON bytes of a frame beyond those that `callTracer` needs: hashes and members. */
const FRAME_BYTES = 350
const ADDRESS_BYTES = 4

/** go-ethereum's `flatCallTracer`: the call frames as a list, in the format of OpenEthereum. */
export class FlatCallTracer implements Tracer {
  readonly #options: FlatCallTracerOptions
  readonly #deps: FlatCallTracerDeps
  readonly #calls: CallTracer

  constructor(options: FlatCallTracerOptions, deps: FlatCallTracerDeps) {
    this.#options = options
    this.#deps = deps
    this.#calls = new CallTracer({}, deps)
  }

  onBegin(): void {
    this.#calls.onBegin()
  }

  onEnter(start: FrameStart): void {
    this.#deps.budget.spend(FRAME_BYTES + ADDRESS_BYTES * start.depth)
    this.#calls.onEnter(start)
  }

  onExit(end: FrameEnd): void {
    this.#calls.onExit(end)
  }

  result(executed: Executed, request: TracedRequest): FlatCalls {
    const calls: FlatCall[] = []
    this.#flatten(this.#calls.result(executed, request), [], calls)
    const { position } = this.#deps
    return {
      calls,
      convertParityErrors: this.#options.convertParityErrors === true,
      ...(position !== undefined && { position }),
    }
  }

  #flatten(frame: CallFrame, traceAddress: readonly number[], into: FlatCall[]): void {
    const kept = this.#options.includePrecompiles
      ? frame.calls
      : frame.calls.filter((call) => !this.#isPrecompile(call))
    into.push({ frame, traceAddress, subtraces: kept.length })
    for (const [index, call] of kept.entries()) this.#flatten(call, [...traceAddress, index], into)
  }

  /** As in go-ethereum, value or not; CALLCODE and DELEGATECALL are always listed. */
  #isPrecompile({ kind, to }: CallFrame): boolean {
    return (kind === 'CALL' || kind === 'STATICCALL') && to !== undefined && this.#deps.precompiles.has(to)
  }
}
