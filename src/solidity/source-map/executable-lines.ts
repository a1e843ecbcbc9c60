import type { CompiledSources } from '../syntax/compiled-sources.ts'
import type { SolidityFunction } from '../syntax/syntax-index.ts'
import { contains } from '../syntax/syntax-tree.ts'
import type { CodeMap } from './code-map.ts'

/** A line of a source that code runs. */
export interface ExecutableLine {
  readonly path: string
  readonly line: number
  /** Program counters of its instructions in ascending order. */
  readonly programCounters: readonly number[]
}

/**
 * The lines of sources that an instruction comes from. An instruction counts for the line where its statement begins,
 * or its part of a statement with a body, as the condition of a loop. Only bodies of functions and modifiers count, not
 * code that selects or enters functions, nor values of constants. Needs syntax trees: without them the result is empty.
 */
export function executableLines(map: CodeMap, sources: CompiledSources): readonly ExecutableLine[] {
  const lines = new Map<string, { readonly path: string; readonly line: number; readonly programCounters: number[] }>()
  for (const programCounter of map.programCounters()) {
    const location = map.locationAt(programCounter)
    if (location.kind !== 'source' || location.isDeclaration) continue
    const { file, range, function: around } = location
    if (around?.body === undefined || !contains(around.body, range)) continue
    const line = file.lineAt(sources.syntax.statementAround(range)?.range.start ?? range.start)
    const key = `${file.id}:${line}`
    const found = lines.get(key)
    if (found !== undefined) found.programCounters.push(programCounter)
    else lines.set(key, { path: file.path, line, programCounters: [programCounter] })
  }
  return [...lines.values()]
}

/** The functions with code: those that one of its instructions lies in. */
export function executedFunctions(map: CodeMap): ReadonlyMap<SolidityFunction, readonly number[]> {
  const functions = new Map<SolidityFunction, number[]>()
  for (const programCounter of map.programCounters()) {
    const location = map.locationAt(programCounter)
    if (location.kind !== 'source' || location.function === undefined) continue
    const found = functions.get(location.function)
    if (found !== undefined) found.push(programCounter)
    else functions.set(location.function, [programCounter])
  }
  return functions
}
