import type { TraceFrame } from '../trace/step-trace.ts'
import type { Activation, Activations } from './activations.ts'
import type { StepLines } from './source-lines.ts'

/** Finds the steps that a debugger goes to. Steps are indexes; `undefined`: there is none in that direction. */
export class Navigator {
  readonly #lines: Int32Array
  readonly #activations: readonly Activation[]
  /** Activation of each step, without those of generated functions. */
  readonly #visibleActivation: Int32Array
  /** The last step with a line at or before a step in its visible activation; -1: there is none. */
  readonly #lineSteps: Int32Array
  readonly #count: number

  constructor({ byStep: lines }: StepLines, { list, byStep }: Activations) {
    this.#lines = lines
    this.#activations = list
    this.#count = lines.length
    const visible = Int32Array.from(list, ({ index }) => index)
    // Parents come before: each has its visible one already.
    for (const { index, parent, kind, function: entered } of list) {
      if (kind === 'internal' && entered?.source === undefined && parent !== undefined)
        visible[index] = visible[parent]!
    }
    this.#visibleActivation = byStep.map((activation) => visible[activation]!)
    const lastSteps = new Int32Array(list.length).fill(-1)
    this.#lineSteps = this.#visibleActivation.map((activation, step) => {
      if (lines[step] !== -1) lastSteps[activation] = step
      return lastSteps[activation]!
    })
  }

  /** The first step with a line: where a debugger begins. */
  first(): number | undefined {
    return this.#next(-1, (step) => this.#lines[step] !== -1)
  }

  /** The next line, also in a function that is called. */
  into(from: number): number | undefined {
    return this.#next(from, (step) => this.#lines[step] !== -1 && !this.#isSameVisit(from, step))
  }

  /** The next line of this function, or of its caller after its end. */
  over(from: number): number | undefined {
    const depth = this.#depthAt(from)
    return this.#next(
      from,
      (step) => this.#lines[step] !== -1 && this.#depthAt(step) <= depth && !this.#isSameVisit(from, step),
    )
  }

  /** The rest of the line from which this function was called; the call itself if the caller does not go on. */
  out(from: number): number | undefined {
    const { parent, endStep, depth } = this.activationAt(from)
    if (parent !== undefined && this.#activations[parent]!.endStep === endStep) return this.#callOf(from)
    return this.#next(from, (step) => this.#lines[step] !== -1 && this.#depthAt(step) < depth)
  }

  /** The line before in this function, or that of its call. */
  back(from: number): number | undefined {
    const depth = this.#depthAt(from)
    for (let step = from - 1; step >= 0; step--) {
      if (this.#lines[step] === -1 || this.#depthAt(step) > depth || this.#isSameVisit(from, step)) continue
      return this.#beginOfVisit(step)
    }
    return undefined
  }

  /** The next visit of a line. @param line index in the lines of the trace */
  to(from: number, line: number): number | undefined {
    const left = this.#next(from, (step) => this.#lines[step] !== -1 && !this.#isSameVisit(from, step))
    return left === undefined ? undefined : this.#next(left - 1, (step) => this.#lines[step] === line)
  }

  /** The last visit of a line before this one. @param line index in the lines of the trace */
  backTo(from: number, line: number): number | undefined {
    for (let step = from - 1; step >= 0; step--) {
      if (this.#lines[step] === line && !this.#isSameVisit(from, step)) return this.#beginOfVisit(step)
    }
    return undefined
  }

  /** The last step of a frame itself that has a line, as the statement that reverts it. */
  lastLineOf({ index, firstStep, endStep }: Pick<TraceFrame, 'index' | 'firstStep' | 'endStep'>): number | undefined {
    for (let step = endStep - 1; step >= firstStep; step--) {
      if (this.#lines[step] !== -1 && this.activationAt(step).frame === index) return step
    }
    return undefined
  }

  /** Where a debugger would stop in order, entering all functions. */
  *visits(): Generator<number> {
    for (let step = this.first(); step !== undefined; step = this.into(step)) yield step
  }

  /** The activation of a step, without generated functions. */
  activationAt(step: number): Activation {
    return this.#activations[this.#visibleActivation[step]!]!
  }

  /** The last step with a line at or before a step in its activation: where generated code was called. */
  lineStepAt(step: number): number | undefined {
    const found = this.#lineSteps[step]
    return found === -1 ? undefined : found
  }

  /** The line from which the function of a step was called, or one of its callers if that has no line. */
  #callOf(from: number): number | undefined {
    let { parent, firstStep } = this.activationAt(from)
    while (parent !== undefined) {
      const line = this.lineStepAt(firstStep - 1)
      if (line !== undefined) return line
      const caller = this.activationAt(firstStep - 1)
      parent = caller.parent
      firstStep = caller.firstStep
    }
    return undefined
  }

  #depthAt(step: number): number {
    return this.#activations[this.#visibleActivation[step]!]!.depth
  }

  #isSameVisit(one: number, other: number): boolean {
    return this.#visibleActivation[one] === this.#visibleActivation[other] && this.#lines[one] === this.#lines[other]
  }

  /** The first step of a visit: functions that it calls belong to it. */
  #beginOfVisit(from: number): number {
    const depth = this.#depthAt(from)
    let begin = from
    for (let step = from - 1; step >= 0; step--) {
      if (this.#depthAt(step) > depth) continue
      if (this.#visibleActivation[step] !== this.#visibleActivation[from]) break
      if (this.#lines[step] === this.#lines[from]) begin = step
      else if (this.#lines[step] !== -1) break
    }
    return begin
  }

  #next(from: number, isWanted: (step: number) => boolean): number | undefined {
    for (let step = from + 1; step < this.#count; step++) if (isWanted(step)) return step
    return undefined
  }
}
