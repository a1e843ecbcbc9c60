import { hexOfBytes } from '../bytecode/portable-bytes.ts'
import type { CodeFunction } from '../source-map/code-map.ts'
import { failurePath } from '../trace/failure-path.ts'
import { stackHeights } from '../trace/stack-heights.ts'
import { gasOfSteps } from '../trace/step-gas.ts'
import { framesOfSteps, lastOwnStep, type StepTrace, type TraceFrame } from '../trace/step-trace.ts'
import { StorageNames } from '../values/storage-names.ts'
import { type Activation, type Activations, activationsOf } from './activations.ts'
import type { FrameCode } from './frame-code.ts'
import { type FlameNode, flameGraph, gasByLine, type LineGas } from './gas-profile.ts'
import { MachineWindows, type ReadSteps, WINDOW_STEPS } from './machine-windows.ts'
import { Navigator } from './navigator.ts'
import { sharedCode } from './shared-code.ts'
import { linesOfSteps, type SourceLine, type StepLines } from './source-lines.ts'
import { type StackEntry, type StepView, StepViews } from './step-view.ts'

/** Stepping through a transaction, by lines of Solidity and by instructions. */
export class DebugSession {
  readonly trace: StepTrace
  /** By index of the frame; `undefined`: its sources are not known. */
  readonly codes: readonly (FrameCode | undefined)[]
  /** Gas of each step itself. */
  readonly gas: Float64Array
  readonly #frameOf: Int32Array
  readonly #lines: StepLines
  readonly #activations: Activations
  readonly #navigator: Navigator
  readonly #windows: MachineWindows
  readonly #views: StepViews

  /**
   * @param codes from `codesOfFrames`
   * @param readSteps loads stacks and memory when a view needs them
   */
  constructor(trace: StepTrace, codes: readonly (FrameCode | undefined)[], readSteps: ReadSteps) {
    this.trace = trace
    this.codes = codes
    this.gas = gasOfSteps(trace)
    this.#frameOf = framesOfSteps(trace)
    this.#activations = activationsOf(trace, codes, this.#frameOf)
    this.#lines = linesOfSteps(trace, codes, this.#frameOf, sharedCode(trace, codes, this.#activations))
    this.#navigator = new Navigator(this.#lines, this.#activations)
    this.#windows = new MachineWindows(trace.count, readSteps)
    this.#views = new StepViews({
      trace,
      codes,
      frameOf: this.#frameOf,
      activations: this.#activations,
      navigator: this.#navigator,
      heights: stackHeights(trace),
      windows: this.#windows,
      namesOf: namesByContract(trace),
      gas: this.gas,
    })
  }

  /** Where to begin: the first line, or the first step if no sources are known. */
  get start(): number {
    return this.#navigator.first() ?? 0
  }

  /** Whether any line of a source is known. */
  get hasLines(): boolean {
    return this.#navigator.first() !== undefined
  }

  /** The next line, also in functions that are called. `undefined`: there is none, as for the others. */
  into(step: number): number | undefined {
    return this.#navigator.into(step)
  }

  /** The next line of this function. */
  over(step: number): number | undefined {
    return this.#navigator.over(step)
  }

  /** The line of the caller: where it goes on, or the call if it does not. */
  out(step: number): number | undefined {
    return this.#navigator.out(step)
  }

  /** The line before. */
  back(step: number): number | undefined {
    return this.#navigator.back(step)
  }

  /** The next instruction, or with -1 the one before. */
  instruction(step: number, by: 1 | -1 = 1): number | undefined {
    return step + by >= 0 && step + by < this.trace.count ? step + by : undefined
  }

  /** The first line of the function that begins at a step; the step itself if the function has no line. */
  beginning(firstStep: number): number {
    if (this.lineAt(firstStep) !== undefined) return firstStep
    const line = this.into(firstStep)
    return line !== undefined && line < this.activationAt(firstStep).endStep ? line : firstStep
  }

  /** Whether a contract of this execution has a source with this path, or with this end of it. */
  hasFile(path: string): boolean {
    return this.codes.some((code) =>
      [...(code?.contract.sources.files.values() ?? [])].some((file) => isPathEnd(file.path, path)),
    )
  }

  /** The next visit of a line. @param path of its file, or the end of it from the name of a folder or file on */
  continueTo(step: number, path: string, line: number): number | undefined {
    const visits = this.#indexesOf(path, line).flatMap((index) => this.#navigator.to(step, index) ?? [])
    return visits.length === 0 ? undefined : Math.min(...visits)
  }

  /** The last visit of a line before this one. @param path as for `continueTo` */
  returnTo(step: number, path: string, line: number): number | undefined {
    const visits = this.#indexesOf(path, line).flatMap((index) => this.#navigator.backTo(step, index) ?? [])
    return visits.length === 0 ? undefined : Math.max(...visits)
  }

  #indexesOf(path: string, line: number): readonly number[] {
    return this.#lines.lines.flatMap((one, index) =>
      one.line === line && isPathEnd(one.file.path, path) ? [index] : [],
    )
  }

  /** The frame where the failure began; `undefined`: the transaction succeeded. */
  get failure(): TraceFrame | undefined {
    const { frames } = this.trace
    const [message] = frames
    if (message === undefined) return undefined
    const callsOf = ({ index }: TraceFrame) => frames.filter(({ parent }) => parent === index)
    return failurePath(message, callsOf, (frame) => frame).at(-1)
  }

  /** The statement that failed; without its source the last instruction of its frame, or the call of a precompile. */
  get revertStep(): number | undefined {
    const { failure } = this
    if (failure === undefined) return undefined
    const last = this.#navigator.lastLineOf(failure) ?? lastOwnStep(this.#frameOf, failure) ?? failure.firstStep - 1
    return last < 0 ? undefined : last
  }

  /** Where a debugger stops in order, entering all functions. */
  visits(): Generator<number> {
    return this.#navigator.visits()
  }

  /** The line of a step, or of the one that its generated code serves. */
  lineAt(step: number): SourceLine | undefined {
    const at = this.#navigator.lineStepAt(step)
    return at === undefined ? undefined : this.#lines.lines[this.#lines.byStep[at]!]
  }

  activationAt(step: number): Activation {
    return this.#navigator.activationAt(step)
  }

  /** As `Pool.swap`. */
  nameOf(activation: Activation): string {
    return functionName(activation, this.codes[activation.frame], this.trace.frames[activation.frame]!)
  }

  /** Everything that a debugger shows at a step. Loads its window if it is not there. */
  view(step: number): Promise<StepView> {
    return this.#views.at(step)
  }

  /** Functions that run at a step, innermost first. Needs no window. */
  callStack(step: number): readonly StackEntry[] {
    return this.#views.callStack(step)
  }

  /** Loads the windows of steps that will be viewed. */
  load(steps: readonly number[]): Promise<void> {
    return this.#windows.load(steps)
  }

  /** Loads the windows of the steps that commands lead to from here, and the windows around this one. */
  async prefetch(step: number): Promise<void> {
    const commands = [this.into(step), this.over(step), this.out(step), this.back(step)]
    const next = [...commands, step + WINDOW_STEPS, step - WINDOW_STEPS]
    await this.#windows.load(next.filter((one) => one !== undefined))
  }

  /** Lines by their gas, the most expensive one first. */
  gasByLine(): readonly LineGas[] {
    return gasByLine(this.#lines, this.gas, (step) => this.#navigator.lineStepAt(step))
  }

  /** Functions with what they call. */
  flameGraph(): FlameNode {
    const { list } = this.#activations
    return flameGraph(this.#activations, this.gas, (index) => this.nameOf(list[index]!))
  }
}

/** Whether a text is a path, or the end of it from the name of a folder or file on. */
function isPathEnd(path: string, text: string): boolean {
  return `/${path}`.endsWith(`/${text}`)
}

/** Names of the storage of each contract, made when they are first needed. */
function namesByContract({ preimages }: StepTrace): (code: FrameCode | undefined) => StorageNames | undefined {
  const known = new Map<object, StorageNames>()
  return (code) => {
    const layout = code?.contract.facts.storageLayout
    if (layout === undefined) return undefined
    const names = known.get(layout) ?? new StorageNames(layout, preimages)
    known.set(layout, names)
    return names
  }
}

/** The name of a function with its contract; of code without sources its address and selector. */
export function functionName(
  { kind, function: called }: Activation,
  code: FrameCode | undefined,
  frame: TraceFrame,
): string {
  if (called !== undefined) return qualifiedName(called, code)
  if (kind === 'internal') return 'an internal function'
  const contract = code?.contract.facts.name ?? frame.to ?? 'a new contract'
  if (frame.type.startsWith('CREATE')) return `${contract}.constructor`
  return `${contract}.${selectorText(frame)}`
}

function qualifiedName({ name, source }: CodeFunction, code: FrameCode | undefined): string {
  const contract = source === undefined ? code?.contract.facts.name : source.contract
  return contract === undefined || contract === '' ? name : `${contract}.${name}`
}

function selectorText({ input }: TraceFrame): string {
  if (input.length < 4) return 'fallback'
  return hexOfBytes(input, 0, 4)
}
