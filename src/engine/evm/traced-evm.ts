import { loadWasmModule } from '../../primitives/wasm-instance.ts'
import { Evm } from './evm.ts'

/** Imports of the tracing build, see `assembly/tracing.ts`. Pointers and u32 may arrive as negative numbers. */
export interface TraceHooks {
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
  ): void
  charged(cost: number, status: number, stackPointer: number): void
  enter(opcode: number, from: number, to: number, value: number, input: number, inputSize: number, gas: number): void
  exit(status: number, output: number, size: number, gasLeft: number): void
  log(log: number): void
}

/** An instance of the tracing build. It calls `hooks`, those of the current session. */
export interface TracedEvm {
  readonly evm: Evm
  hooks: TraceHooks | undefined
}

/** Compiled on first use: most nodes never trace. */
let module: WebAssembly.Module | undefined

/** @param options as of `Evm` */
export function createTracedEvm(options: ConstructorParameters<typeof Evm>[0]): TracedEvm {
  module ??= loadWasmModule(new URL('./evm-tracing.wasm', import.meta.url))
  const target: { hooks: TraceHooks | undefined } = { hooks: undefined }
  const tracing = {
    onStep: (...step: Parameters<TraceHooks['step']>) => target.hooks?.step(...step),
    onCharged: (...charge: Parameters<TraceHooks['charged']>) => target.hooks?.charged(...charge),
    onEnter: (...start: Parameters<TraceHooks['enter']>) => target.hooks?.enter(...start),
    onExit: (...end: Parameters<TraceHooks['exit']>) => target.hooks?.exit(...end),
    onLog: (log: number) => target.hooks?.log(log),
  }
  return Object.assign(target, { evm: new Evm(options, module, { tracing }) })
}
