import { codeTemplate } from '../bytecode/code-template.ts'
import { instructionName } from '../bytecode/opcodes.ts'
import type { CodeLocation } from '../source-map/code-map.ts'
import { typeOf } from '../syntax/solidity-type.ts'
import { contains, type SourceRange } from '../syntax/syntax-tree.ts'
import type { StepTrace } from '../trace/step-trace.ts'
import { constructorArguments, decodedCall } from '../values/abi-items.ts'
import type { StorageNames } from '../values/storage-names.ts'
import { type ValueBudget, type VariableValue, valueBudget } from '../values/variable-value.ts'
import type { Activation, Activations } from './activations.ts'
import type { FrameCode } from './frame-code.ts'
import { contractLineage } from './lineage.ts'
import { type StackVariable, stackVariables } from './local-variables.ts'
import type { MachineState, MachineWindows } from './machine-windows.ts'
import type { Navigator } from './navigator.ts'
import { stackValue } from './stack-values.ts'
import { type NamedSlot, storageBefore } from './storage-view.ts'

/** An entry of the call stack. */
export interface StackEntry {
  /**
   * - `external`: a call or a creation.
   * - `internal`: a function that the code jumps into.
   * - `inlined`: a function or modifier whose code is part of its caller's.
   */
  readonly kind: 'external' | 'internal' | 'inlined'
  readonly contract: string | undefined
  readonly function: string
  /** Index of the frame in the trace. */
  readonly frame: number
  /** Where it is: for callers the step of the call. */
  readonly step: number
  readonly location: CodeLocation
  /** Arguments of an external call. */
  readonly arguments?: readonly VariableValue[]
}

/** Variables of a function, or why they are not known. */
export type LocalVariables =
  | {
      readonly kind: 'known'
      readonly variables: readonly VariableValue[]
      /** What is special about the values. */
      readonly note?: string
    }
  | { readonly kind: 'not available'; readonly reason: string }

/** Everything that a debugger shows at a step. */
export interface StepView {
  readonly step: number
  readonly programCounter: number
  readonly instruction: string
  /** Before the instruction. */
  readonly gasLeft: number
  /** Of the instruction itself. */
  readonly gas: number
  /** Of the instruction; generated code has none. */
  readonly location: CodeLocation
  /** Where the line is that the instruction serves; `undefined`: no source is known. */
  readonly shown: CodeLocation | undefined
  /** Innermost first. */
  readonly callStack: readonly StackEntry[]
  readonly machine: MachineState
  /** Account whose storage is used. */
  readonly account: string | undefined
  readonly storage: readonly NamedSlot[]
  readonly locals: LocalVariables
  /** What cannot be shown here, and why. */
  readonly notes: readonly string[]
}

export interface StepViewDeps {
  readonly trace: StepTrace
  readonly codes: readonly (FrameCode | undefined)[]
  readonly frameOf: Int32Array
  readonly activations: Activations
  readonly navigator: Navigator
  readonly heights: Uint16Array
  readonly windows: MachineWindows
  readonly namesOf: (code: FrameCode | undefined) => StorageNames | undefined
  readonly gas: Float64Array
}

const UNKNOWN: CodeLocation = { kind: 'unknown' }

/** Makes views of steps. */
export class StepViews {
  readonly #deps: StepViewDeps

  constructor(deps: StepViewDeps) {
    this.#deps = deps
  }

  async at(step: number): Promise<StepView> {
    const { trace, codes, frameOf, windows, namesOf, navigator, gas } = this.#deps
    const machine = await windows.at(step)
    const frame = frameOf[step]!
    const { account } = trace.frames[frame]!
    const lineStep = navigator.lineStepAt(step)
    const names = namesOf(codes[frame])
    return {
      step,
      programCounter: trace.programCounters[step]!,
      instruction: instructionName(trace.opcodes[step]!),
      gasLeft: trace.gasLeft[step]!,
      gas: gas[step]!,
      location: this.#locationAt(step),
      shown: lineStep === undefined ? undefined : this.#locationAt(lineStep),
      callStack: this.#callStack(step, valueBudget()),
      machine,
      account,
      storage: account === undefined ? [] : storageBefore(trace, frameOf, account, step, names),
      locals: await this.#locals(step, machine, names),
      notes: notesOf(codes[frame]),
    }
  }

  #locationAt(step: number): CodeLocation {
    const { trace, codes, frameOf } = this.#deps
    return codes[frameOf[step]!]?.map.locationAt(trace.programCounters[step]!) ?? UNKNOWN
  }

  /** Functions that run at a step, innermost first, without their arguments. */
  callStack(step: number): readonly StackEntry[] {
    return this.#callStack(step)
  }

  /** @param budget for arguments; `undefined`: they are left out */
  #callStack(step: number, budget?: ValueBudget): readonly StackEntry[] {
    const { navigator } = this.#deps
    const entries: StackEntry[] = []
    let at = step
    for (;;) {
      const activation = navigator.activationAt(at)
      entries.push(...this.#entries(activation, at, budget))
      if (activation.parent === undefined) return mergedEntries(entries)
      // The jump or the call.
      at = activation.firstStep - 1
    }
  }

  /** An activation, before it the function whose code it contains at this place. */
  #entries(activation: Activation, step: number, budget: ValueBudget | undefined): readonly StackEntry[] {
    const { trace, codes, navigator } = this.#deps
    const { kind, frame, function: called } = activation
    const code = codes[frame]
    const lineStep = navigator.lineStepAt(step)
    const location = this.#locationAt(lineStep ?? step)
    const common = { frame, step, location }
    const contract = called?.source?.contract || code?.contract.facts.name
    const given = kind === 'external' && budget !== undefined ? this.#arguments(activation, budget) : undefined
    const own: StackEntry = {
      ...common,
      kind,
      contract,
      function: called?.name ?? externalName(trace.frames[frame]!.type),
      ...(given !== undefined && { arguments: given }),
    }
    const within = location.kind === 'source' ? location.function : undefined
    if (within === undefined || within === called?.source) return [own]
    return [{ ...common, kind: 'inlined', contract: within.contract || undefined, function: within.name }, own]
  }

  /** With the names of enumerations and structs if the source of the function is known, otherwise by its ABI. */
  #arguments({ frame, function: called }: Activation, budget: ValueBudget): readonly VariableValue[] | undefined {
    const { trace, codes } = this.#deps
    const code = codes[frame]
    const { input } = trace.frames[frame]!
    if (code === undefined) return undefined
    const { abi, creation } = code.contract.facts
    if (code.isCreation) return constructorArguments(abi, input, codeTemplate(creation)?.code.length ?? 0, budget)
    const { find } = code.contract.sources.syntax
    const declared = called?.source?.parameters.map(({ name = '', typeName }) => ({
      name,
      type: typeOf(typeName, find),
    }))
    return decodedCall(abi, input, { budget, declared })?.values
  }

  async #locals(step: number, machine: MachineState, names: StorageNames | undefined): Promise<LocalVariables> {
    const { trace, codes, navigator, heights, windows } = this.#deps
    const activation = navigator.activationAt(step)
    const code = codes[activation.frame]
    const reason = whyUnknown(activation, code)
    if (reason !== undefined || code === undefined) return { kind: 'not available', reason: reason ?? NO_SOURCE }
    const called = activation.function!.source!
    const { syntax } = code.contract.sources
    const { isOptimized } = code.contract.facts
    const lineStep = navigator.lineStepAt(step)
    const own = this.#locationAt(step)
    const isLeaving = !isOptimized && lineStep !== undefined
    if (isLeaving && isEnd(own)) return { kind: 'not available', reason: 'the function is ending' }
    const location = this.#locationAt(lineStep ?? activation.firstStep)
    const line = location.kind === 'source' ? location.range : called.range
    const range = isLeaving && own.kind === 'source' && syntax.isBlock(own.range) ? rangeBehind(own.range) : line
    const all = stackVariables(called, range, syntax, contractLineage(code.contract))
    const parameters = all.filter(({ role }) => role === 'parameter')
    const slots = parameters.reduce((sum, { slot, slots }) => Math.max(sum, slot + slots), 0)
    const base = heights[activation.firstStep]! - (activation.function!.parameterSlots ?? slots)
    const { input } = trace.frames[activation.frame]!
    const valuesIn = (variables: readonly StackVariable[], at: MachineState) =>
      variables.map((one) => stackValue(one, base, { machine: at, input, names }))
    if (!isOptimized) return { kind: 'known', variables: valuesIn(all, machine) }
    return { kind: 'known', variables: valuesIn(parameters, await windows.at(activation.firstStep)), note: OPTIMIZED }
  }
}

/** Whether an instruction drops the variables of a function or modifier: its range is the whole, or the body. */
function isEnd(location: CodeLocation): boolean {
  if (location.kind !== 'source' || location.function === undefined) return false
  const { range, body } = location.function
  return [range, body].some((whole) => whole && contains(location.range, whole))
}

/** Code that leaves a block has its range, but no longer its variables. */
function rangeBehind({ file, start, length }: SourceRange): SourceRange {
  return { file, start: start + length, length: 1 }
}

const OPTIMIZED =
  'parameters as the function began with them: the optimizer moves variables, so that others are not available'
const NO_SOURCE = 'the sources of this contract are not known'

function whyUnknown({ kind, function: called }: Activation, code: FrameCode | undefined): string | undefined {
  if (code === undefined) return NO_SOURCE
  if (!code.contract.sources.hasTrees) return 'the compiler output has no syntax trees'
  if (code.contract.facts.isViaIr) return 'compiled through Yul (viaIR): the compiler does not tell where variables are'
  if (code.isCreation && kind === 'external') return 'variables of constructors have no fixed place'
  const entered = called?.source?.kind
  if (kind === 'external' && (entered === 'fallback' || entered === 'receive')) {
    return 'variables of receive and fallback functions have no fixed place'
  }
  if (kind === 'external') return 'no function has begun'
  return called?.source === undefined ? 'it is not known which function runs' : undefined
}

/** The code that selects a function jumps into it: both are one entry. */
function mergedEntries(entries: readonly StackEntry[]): readonly StackEntry[] {
  return entries.flatMap((entry, index) => {
    const [inner, outer] = [entries[index - 1], entries[index + 1]]
    if (entry.kind === 'external' && inner !== undefined && isEntered(inner, entry)) return []
    if (outer?.kind !== 'external' || !isEntered(entry, outer)) return [entry]
    return [{ ...entry, kind: 'external', ...(outer.arguments && { arguments: outer.arguments }) }]
  })
}

function isEntered(inner: StackEntry, outer: StackEntry): boolean {
  if (inner.kind !== 'internal' || inner.frame !== outer.frame) return false
  return inner.function === outer.function && inner.contract === outer.contract
}

function externalName(type: string): string {
  return type.startsWith('CREATE') ? 'constructor' : 'unknown function'
}

/** What the compiler was not asked for, and what follows from it. */
const CONSEQUENCES = {
  sourceMap: 'no source map: instructions cannot be shown in the source',
  ast: 'no syntax trees: functions and variables have no names',
  storageLayout: 'no storage layout: slots have no names',
  functionDebugData: 'no debug data of functions: generated functions have no names',
} as const

function notesOf(code: FrameCode | undefined): readonly string[] {
  if (code === undefined) return [NO_SOURCE]
  const { leftOut, isViaIr, isOptimized } = code.contract.facts
  return [
    ...code.contract.missing.map((output) => CONSEQUENCES[output]),
    ...(leftOut === undefined ? [] : [`left out: ${leftOut}`]),
    ...(isViaIr && isOptimized
      ? ['optimized through Yul: equal code of several places has the line of one of them']
      : []),
  ]
}
