import { JUMP_OPCODE } from '../bytecode/opcodes.ts'
import { hexOfBytes } from '../bytecode/portable-bytes.ts'
import type { CodeFunction } from '../source-map/code-map.ts'
import type { SolidityFunction } from '../syntax/syntax-index.ts'
import type { StepTrace, TraceFrame } from '../trace/step-trace.ts'
import { type FrameCode, isCreation } from './frame-code.ts'
import { contractLineage } from './lineage.ts'

/** A run of a function: an external call, or an internal function within one. */
export interface Activation {
  readonly index: number
  /** `undefined` for the call of the transaction. */
  readonly parent: number | undefined
  readonly kind: 'external' | 'internal'
  /** Index of the frame in the trace. */
  readonly frame: number
  readonly firstStep: number
  /** The step behind its last one. */
  endStep: number
  /** 0 for the call of the transaction. */
  readonly depth: number
  /** `undefined`: it is not known which one. */
  readonly function: CodeFunction | undefined
}

const SELECTOR_BYTES = 4

/** Activations of a trace in the order of their beginnings, and the innermost one of each step. */
export interface Activations {
  readonly list: readonly Activation[]
  readonly byStep: Int32Array
}

/** Follows calls and the jumps that the compiler marks as calls and returns. */
export function activationsOf(
  { count, programCounters, opcodes, frames }: StepTrace,
  codes: readonly (FrameCode | undefined)[],
  frameOf: Int32Array,
): Activations {
  const list: Activation[] = []
  const byStep = new Int32Array(count)
  const open: Activation[] = []
  const begin = (kind: Activation['kind'], frame: number, firstStep: number, called?: CodeFunction): void => {
    const parent = open.at(-1)?.index
    const opened = {
      index: list.length,
      parent,
      kind,
      frame,
      firstStep,
      endStep: count,
      depth: open.length,
      function: called,
    }
    list.push(opened)
    open.push(opened)
  }
  const end = (step: number): void => {
    open.pop()!.endStep = step
  }
  for (let step = 0; step < count; step++) {
    const frame = frameOf[step]!
    while (open.length > 0 && !isWithin(frames, frame, open.at(-1)!.frame)) end(step)
    const current = open.at(-1)
    if (current?.frame !== frame) {
      begin('external', frame, step, externalFunction(frames[frame]!, codes[frame]))
    } else if (opcodes[step - 1] === JUMP_OPCODE && frameOf[step - 1] === frame) {
      const map = codes[frame]?.map
      const jump = map?.jumpAt(programCounters[step - 1]!)
      if (map !== undefined && jump === 'in') {
        begin('internal', frame, step, map.functionAt(programCounters[step]!))
      } else if (jump === 'out' && current.kind === 'internal') end(step)
    }
    byStep[step] = open.at(-1)!.index
  }
  return { list, byStep }
}

/** Whether a frame is another one or was called by it, over any number of calls. */
function isWithin(frames: readonly TraceFrame[], frame: number, outer: number): boolean {
  for (let at: number | undefined = frame; at !== undefined && at >= outer; at = frames[at]!.parent) {
    if (at === outer) return true
  }
  return false
}

/** The function that a call selects. */
function externalFunction(frame: TraceFrame, code: FrameCode | undefined): CodeFunction | undefined {
  if (code === undefined) return undefined
  const { functions } = code.contract.sources.syntax
  const lineage = contractLineage(code.contract)
  const first = (isWanted: (one: SolidityFunction) => boolean) => {
    for (const id of lineage) {
      const found = functions.find((one) => one.contractId === id && hasCode(one) && isWanted(one))
      if (found !== undefined) return found
    }
    return undefined
  }
  const source = isCreation(frame)
    ? functions.find(({ kind, contractId }) => kind === 'constructor' && contractId === lineage[0])
    : calledFunction(frame, first)
  return source && { name: source.name, source }
}

/** An interface or an abstract contract may declare the function as well. */
function hasCode({ body, kind }: SolidityFunction): boolean {
  return body !== undefined || kind === 'getter'
}

function calledFunction(
  { input }: TraceFrame,
  first: (isWanted: (one: SolidityFunction) => boolean) => SolidityFunction | undefined,
): SolidityFunction | undefined {
  const selector = input.length < SELECTOR_BYTES ? undefined : hexOfBytes(input, 0, SELECTOR_BYTES).slice(2)
  const selected = selector === undefined ? undefined : first((one) => one.selector === selector)
  if (selected !== undefined) return selected
  const receive = input.length === 0 ? first(({ kind }) => kind === 'receive') : undefined
  return receive ?? first(({ kind }) => kind === 'fallback')
}
