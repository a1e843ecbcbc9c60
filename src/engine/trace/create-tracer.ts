import type { QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { Tracer } from '../tracer.ts'
import type { Engine, Executed, MayContinue, Session } from '../types.ts'
import { type CallFrame, CallTracer, type CallTracerOptions, type TracedRequest } from './call-tracer.ts'
import { type Erc7562Trace, Erc7562Tracer, type Erc7562TracerOptions } from './erc7562-tracer.ts'
import {
  type FlatCalls,
  FlatCallTracer,
  type FlatCallTracerOptions,
  type TransactionPosition,
} from './flat-call-tracer.ts'
import { FourByteTracer } from './four-byte-tracer.ts'
import { loadQuickJs } from './javascript-sandbox.ts'
import { JavaScriptTracer, type JavaScriptTracerOptions, StepCosts } from './javascript-tracer.ts'
import { KeccakPreimageTracer } from './keccak-preimages.ts'
import { MuxTracer } from './mux-tracer.ts'
import { type OpcodeGas, OpcodeGasTracer } from './opcode-gas-tracer.ts'
import { type ParityTrace, ParityTracer, type ParityTracerOptions } from './parity-tracer.ts'
import { type Prestate, PrestateTracer, type PrestateTracerOptions, type StateChange } from './prestate-tracer.ts'
import { type CodeHits, CoverageTracer } from './profile/coverage-tracer.ts'
import { type FrameGas, FrameGasTracer } from './profile/frame-gas-tracer.ts'
import { type StepColumns, StepColumnsTracer } from './steps/step-columns.ts'
import { type StepWindow, type StepWindowsOptions, StepWindowsTracer } from './steps/step-windows.ts'
import { type StructLog, type StructLogForm, StructLogger, type StructLogOptions } from './struct-logger.ts'
import type { TraceBudget } from './trace-budget.ts'

/**
 * A tracer by its name in go-ethereum; `structLogger` is the default tracer, which has no name there, `parityTracer`
 * and `opcodeGasTracer` are those of the `trace` namespace, `stepColumnsTracer` and `stepWindowsTracer` of debuggers,
 * `frameGasTracer` and `coverageTracer` of reports.
 */
export type TracerChoice =
  | { readonly name: 'structLogger'; readonly options: StructLogOptions; readonly form?: StructLogForm }
  | { readonly name: 'callTracer'; readonly options: CallTracerOptions }
  | { readonly name: 'prestateTracer'; readonly options: PrestateTracerOptions }
  | { readonly name: '4byteTracer' }
  | { readonly name: 'noopTracer' }
  | { readonly name: 'flatCallTracer'; readonly options: FlatCallTracerOptions }
  | { readonly name: 'keccak256PreimageTracer' }
  | { readonly name: 'erc7562Tracer'; readonly options: Erc7562TracerOptions }
  | { readonly name: 'stepColumnsTracer' }
  | { readonly name: 'stepWindowsTracer'; readonly options: StepWindowsOptions }
  | { readonly name: 'muxTracer'; readonly tracers: readonly MuxedTracer[] }
  | { readonly name: 'javaScriptTracer'; readonly options: JavaScriptTracerOptions }
  | { readonly name: 'opcodeGasTracer' }
  | { readonly name: 'parityTracer'; readonly options: ParityTracerOptions }
  | { readonly name: 'frameGasTracer' }
  | { readonly name: 'coverageTracer' }

/** A tracer of a `muxTracer`, by its key in the configuration. */
type MuxedTracer = readonly [key: string, choice: TracerChoice]
type MuxedTrace = readonly [key: string, trace: Trace]

/** Records of the instructions of a message. */
export interface StructLogTrace {
  readonly name: 'structLogger'
  readonly form: StructLogForm
  readonly executed: Executed
  readonly logs: readonly StructLog[]
}

/** Result of tracing one message. */
export type Trace =
  | StructLogTrace
  | { readonly name: 'callTracer'; readonly top: CallFrame }
  | { readonly name: 'prestateTracer'; readonly state: Prestate }
  | { readonly name: '4byteTracer'; readonly counts: ReadonlyMap<string, number> }
  | { readonly name: 'noopTracer' }
  | { readonly name: 'flatCallTracer'; readonly flat: FlatCalls }
  | { readonly name: 'keccak256PreimageTracer'; readonly preimages: ReadonlyMap<Hash, Bytes> }
  | { readonly name: 'erc7562Tracer'; readonly trace: Erc7562Trace }
  | { readonly name: 'stepColumnsTracer'; readonly executed: Executed; readonly columns: StepColumns }
  | { readonly name: 'stepWindowsTracer'; readonly windows: readonly StepWindow[] }
  | { readonly name: 'muxTracer'; readonly traces: readonly MuxedTrace[] }
  | { readonly name: 'javaScriptTracer'; readonly json: string }
  | { readonly name: 'opcodeGasTracer'; readonly used: readonly OpcodeGas[] }
  | { readonly name: 'parityTracer'; readonly trace: ParityTrace }
  | { readonly name: 'frameGasTracer'; readonly frames: readonly FrameGas[] }
  | { readonly name: 'coverageTracer'; readonly codes: Iterable<CodeHits> }

/** A tracer for one message. */
export interface MessageTracer {
  readonly hooks: Tracer
  /** Hooks of a run before the traced one, which is reverted. */
  readonly rehearsal?: Tracer
  /** @throws TraceTooLargeError and errors of the state reader */
  trace(executed: Executed, change: StateChange, request: TracedRequest): Trace
  /** Frees what it holds; call it in any case. */
  dispose?(): void
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
  readonly blockNumber: number
  readonly baseFee: bigint
  /** Present if the choice has a JavaScript tracer. */
  readonly quickJs?: QuickJSWASMModule
  readonly precompiles: ReadonlySet<Address>
  /** The state in the middle of the message; read it only inside `onStep`, `onEnter` and `onExit`. */
  readonly state: StateReader
  /** Logs of earlier transactions of the block. */
  readonly logsBefore?: number
  /** Absent for a call. */
  readonly position?: TransactionPosition
}

export function createTracer(choice: TracerChoice, deps: TracerDeps): MessageTracer {
  const { name } = choice
  switch (name) {
    case 'structLogger': {
      const { options, form = 'sparse' } = choice
      const hooks = new StructLogger({ ...options, form }, deps)
      return { hooks, trace: (executed) => ({ name, form, executed, logs: hooks.logs }) }
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
    case 'flatCallTracer': {
      const hooks = new FlatCallTracer(choice.options, deps)
      return { hooks, trace: (executed, _, request) => ({ name, flat: hooks.result(executed, request) }) }
    }
    case 'keccak256PreimageTracer': {
      const hooks = new KeccakPreimageTracer(deps)
      return { hooks, trace: () => ({ name, preimages: hooks.preimages }) }
    }
    case 'erc7562Tracer': {
      const hooks = new Erc7562Tracer(choice.options, deps)
      return { hooks, trace: (executed, _, request) => ({ name, trace: hooks.result(executed, request) }) }
    }
    case 'stepColumnsTracer': {
      const hooks = new StepColumnsTracer(deps)
      return { hooks, trace: (executed) => ({ name, executed, columns: hooks.result() }) }
    }
    case 'stepWindowsTracer': {
      const hooks = new StepWindowsTracer(choice.options, deps)
      return { hooks, trace: () => ({ name, windows: hooks.windows }) }
    }
    case 'muxTracer': {
      const tracers = choice.tracers.map(([key, each]) => ({ key, ...createTracer(each, deps) }))
      const hooks = new MuxTracer(tracers.map((each) => each.hooks))
      const rehearsals = tracers.flatMap(({ rehearsal }) => rehearsal ?? [])
      const dispose = () => {
        for (const each of tracers) each.dispose?.()
      }
      return {
        hooks,
        ...(rehearsals.length > 0 && { rehearsal: new MuxTracer(rehearsals), dispose }),
        trace: (...run) => ({ name, traces: tracers.map(({ key, trace }) => [key, trace(...run)]) }),
      }
    }
    case 'javaScriptTracer': {
      const { quickJs } = deps
      if (quickJs === undefined) throw new Error('QuickJS is not loaded: pass the choice to tracerDeps()')
      const costs = new StepCosts()
      const hooks = new JavaScriptTracer(choice.options, { ...deps, quickJs, costs })
      return {
        hooks,
        rehearsal: costs,
        trace: (executed, _, request) => ({ name, json: hooks.result(executed, request) }),
        dispose: () => hooks.dispose(),
      }
    }
    case 'opcodeGasTracer': {
      const hooks = new OpcodeGasTracer(deps)
      return { hooks, trace: () => ({ name, used: hooks.result() }) }
    }
    case 'parityTracer': {
      const hooks = new ParityTracer(choice.options, deps)
      return { hooks, trace: (executed, change) => ({ name, trace: hooks.result(executed, change) }) }
    }
    case 'frameGasTracer': {
      const hooks = new FrameGasTracer(deps)
      return { hooks, trace: () => ({ name, frames: hooks.frames }) }
    }
    case 'coverageTracer': {
      const hooks = new CoverageTracer(deps)
      return { hooks, trace: () => ({ name, codes: hooks.codes }) }
    }
  }
}

/** Shared by the tracers of one response. */
export async function tracerDeps(
  engine: Engine,
  session: Session,
  { budget }: Pick<TraceOptions, 'budget'>,
  choices: readonly TracerChoice[],
): Promise<TracerDeps> {
  const { env } = session
  const deps = {
    budget,
    coinbase: env.coinbase,
    blockNumber: env.number,
    baseFee: env.baseFee,
    precompiles: engine.precompiles(env),
    state: session.state,
  }
  return choices.some(isJavaScript) ? { ...deps, quickJs: await loadQuickJs() } : deps
}

function isJavaScript(choice: TracerChoice): boolean {
  if (choice.name === 'muxTracer') return choice.tracers.some(([, each]) => isJavaScript(each))
  return choice.name === 'javaScriptTracer'
}

/** Runs a message for what its tracer must know before, and reverts it. */
export async function rehearse(
  session: Session,
  { rehearsal }: MessageTracer,
  run: (hooks: Tracer) => MaybePromise<unknown>,
): Promise<void> {
  if (rehearsal === undefined) return
  session.checkpoint()
  try {
    await run(rehearsal)
  } finally {
    session.revert()
  }
}

/** As a member of the session options. */
export function waiting(mayContinue: MayContinue | undefined): { readonly mayContinue?: MayContinue } {
  return mayContinue === undefined ? {} : { mayContinue }
}
