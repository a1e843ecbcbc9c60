import type { Address } from '../../primitives/hex.ts'
import type { Tracer } from '../tracer.ts'
import type { BlockEnv, Engine, Executed, MayContinue } from '../types.ts'
import { type CallFrame, CallTracer, type CallTracerOptions, type TracedRequest } from './call-tracer.ts'
import { FourByteTracer } from './four-byte-tracer.ts'
import { type OpcodeGas, OpcodeGasTracer } from './opcode-gas-tracer.ts'
import { type ParityTrace, ParityTracer, type ParityTracerOptions } from './parity-tracer.ts'
import { type Prestate, PrestateTracer, type PrestateTracerOptions, type StateChange } from './prestate-tracer.ts'
import { type StructLog, StructLogger, type StructLogOptions } from './struct-logger.ts'
import type { TraceBudget } from './trace-budget.ts'

/**
 * A tracer by its name in go-ethereum; `structLogger` is the default tracer, which has no name there, and
 * `parityTracer` and `opcodeGasTracer` those of the `trace` namespace.
 */
export type TracerChoice =
  | { readonly name: 'structLogger'; readonly options: StructLogOptions }
  | { readonly name: 'callTracer'; readonly options: CallTracerOptions }
  | { readonly name: 'prestateTracer'; readonly options: PrestateTracerOptions }
  | { readonly name: '4byteTracer' }
  | { readonly name: 'noopTracer' }
  | { readonly name: 'opcodeGasTracer' }
  | { readonly name: 'parityTracer'; readonly options: ParityTracerOptions }

/** Result of tracing one message. */
export type Trace =
  | { readonly name: 'structLogger'; readonly executed: Executed; readonly logs: readonly StructLog[] }
  | { readonly name: 'callTracer'; readonly top: CallFrame }
  | { readonly name: 'prestateTracer'; readonly state: Prestate }
  | { readonly name: '4byteTracer'; readonly counts: ReadonlyMap<string, number> }
  | { readonly name: 'noopTracer' }
  | { readonly name: 'opcodeGasTracer'; readonly used: readonly OpcodeGas[] }
  | { readonly name: 'parityTracer'; readonly trace: ParityTrace }

/** A tracer for one message. */
export interface MessageTracer {
  readonly hooks: Tracer
  /** @throws TraceTooLargeError and errors of the state reader */
  trace(executed: Executed, change: StateChange, request: TracedRequest): Trace
}

export interface TraceOptions {
  readonly tracer: TracerChoice
  /** JSON bytes. */
  readonly budget: TraceBudget
  readonly mayContinue?: MayContinue
}

interface TracerDeps {
  readonly budget: TraceBudget
  readonly coinbase: Address
  readonly precompiles: ReadonlySet<Address>
}

export function createTracer(choice: TracerChoice, deps: TracerDeps): MessageTracer {
  const { name } = choice
  switch (name) {
    case 'structLogger': {
      const hooks = new StructLogger(choice.options, deps)
      return { hooks, trace: (executed) => ({ name, executed, logs: hooks.logs }) }
    }
    case 'callTracer': {
      const hooks = new CallTracer(choice.options, deps)
      return { hooks, trace: (executed, _, request) => ({ name, top: hooks.result(executed, request) }) }
    }
    case 'prestateTracer': {
      const hooks = new PrestateTracer(choice.options, deps)
      return { hooks, trace: (_, change) => ({ name, state: hooks.result(change) }) }
    }
    case '4byteTracer': {
      const hooks = new FourByteTracer(deps)
      return { hooks, trace: () => ({ name, counts: hooks.counts }) }
    }
    case 'noopTracer':
      return { hooks: {}, trace: () => ({ name }) }
    case 'opcodeGasTracer': {
      const hooks = new OpcodeGasTracer(deps)
      return { hooks, trace: () => ({ name, used: hooks.result() }) }
    }
    case 'parityTracer': {
      const hooks = new ParityTracer(choice.options, deps)
      return { hooks, trace: (executed, change) => ({ name, trace: hooks.result(executed, change) }) }
    }
  }
}

/** Shared by the tracers of one response. */
export function tracerDeps(engine: Engine, env: BlockEnv, { budget }: Pick<TraceOptions, 'budget'>): TracerDeps {
  return { budget, coinbase: env.coinbase, precompiles: engine.precompiles(env) }
}

/** As a member of the session options. */
export function waiting(mayContinue: MayContinue | undefined): { readonly mayContinue?: MayContinue } {
  return mayContinue === undefined ? {} : { mayContinue }
}
