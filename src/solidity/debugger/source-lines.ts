import type { SourceLocation } from '../source-map/code-map.ts'
import type { SourceFile } from '../syntax/source-file.ts'
import { contains } from '../syntax/syntax-tree.ts'
import type { StepTrace } from '../trace/step-trace.ts'
import type { FrameCode } from './frame-code.ts'

/** A line at which a debugger stops. */
export interface SourceLine {
  readonly file: SourceFile
  /** The first one is 1. */
  readonly line: number
}

/** Lines of steps. */
export interface StepLines {
  readonly lines: readonly SourceLine[]
  /** Index in `lines` by step; -1: no line to stop at. */
  readonly byStep: Int32Array
}

const NOT_COMPUTED = -2

/**
 * Finds the line of each step.
 *
 * @param frameOf index of the frame by step
 * @param isShared whether the place of a step is that of another function
 */
export function linesOfSteps(
  { count, programCounters }: StepTrace,
  codes: readonly (FrameCode | undefined)[],
  frameOf: Int32Array,
  isShared: (step: number) => boolean,
): StepLines {
  const lines: SourceLine[] = []
  const indexes = new Map<string, number>()
  const numberOf = fileNumbers()
  const indexOf = (code: FrameCode, programCounter: number): number => {
    const location = code.map.locationAt(programCounter)
    if (location.kind !== 'source' || !isStop(location, code)) return -1
    const { file, range } = location
    const { syntax } = code.contract.sources
    const line = file.lineAt(syntax.statementAround(range)?.range.start ?? range.start)
    const key = `${numberOf(file)}:${line}`
    const index = indexes.get(key) ?? lines.push({ file, line }) - 1
    indexes.set(key, index)
    return index
  }
  const byStep = new Int32Array(count)
  const tables = new Map<FrameCode['map'], Int32Array>()
  for (let step = 0; step < count; step++) {
    const code = codes[frameOf[step]!]
    const programCounter = programCounters[step]!
    if (code === undefined || programCounter >= code.map.size || isShared(step)) {
      byStep[step] = -1
      continue
    }
    let table = tables.get(code.map)
    if (table === undefined) {
      table = new Int32Array(code.map.size).fill(NOT_COMPUTED)
      tables.set(code.map, table)
    }
    if (table[programCounter] === NOT_COMPUTED) table[programCounter] = indexOf(code, programCounter)
    byStep[step] = table[programCounter]!
  }
  return { lines, byStep }
}

/** Numbers files: one of several builds has one number, unless its content differs. */
function fileNumbers(): (file: SourceFile) => number {
  const byText = new Map<string, number>()
  const byFile = new Map<SourceFile, number>()
  return (file) => {
    const known = byFile.get(file)
    if (known !== undefined) return known
    const text = `${file.path}\n${file.content}`
    const number = byText.get(text) ?? byText.size
    byText.set(text, number)
    byFile.set(file, number)
    return number
  }
}

/**
 * Code that selects and enters functions is no place to stop, nor are declarations of parameters. Constants and
 * variables of a contract are, where a constructor sets them; their getters are as well, but code that came through Yul
 * has the place of a variable also where it uses it.
 */
function isStop(
  { isDeclaration, range, function: around }: SourceLocation,
  { contract, isCreation }: FrameCode,
): boolean {
  if (around?.kind === 'getter') return !contract.facts.isViaIr || isCreation
  if (isDeclaration) return false
  if (around === undefined) return isCreation || !contract.sources.hasTrees
  return around.body !== undefined && contains(around.body, range)
}
