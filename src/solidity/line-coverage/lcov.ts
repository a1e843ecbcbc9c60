import type { FileCoverage, FunctionCoverage } from './coverage.ts'

/** Lines, functions and branches: how many there are, and how many of them ran. */
export interface CoverageTotals {
  readonly lines: readonly [hit: number, found: number]
  readonly functions: readonly [hit: number, found: number]
  readonly branches: readonly [hit: number, found: number]
}

/** Totals of files. */
export function coverageTotals(files: Iterable<FileCoverage>): CoverageTotals {
  const all = [...files]
  const lines = all.flatMap((file) => [...file.lines.values()])
  const functions = all.flatMap((file) => file.functions.map(({ hits }) => hits))
  const branches = all.flatMap((file) => file.branches.flatMap(({ whenTrue, whenFalse }) => [whenTrue, whenFalse]))
  return { lines: counted(lines), functions: counted(functions), branches: counted(branches) }
}

/** Percentage of what ran, from 0 to 100; 100 if there is nothing. */
export function percentage([hit, found]: readonly [hit: number, found: number]): number {
  return found === 0 ? 100 : (100 * hit) / found
}

function counted(hits: readonly number[]): readonly [number, number] {
  return [hits.filter((count) => count > 0).length, hits.length]
}

/** A tracefile of LCOV (geninfo(1), "FILES"), which editors and services of coverage read. */
export function lcovOf(files: Iterable<FileCoverage>): string {
  const lines: string[] = []
  for (const file of files) {
    const totals = coverageTotals([file])
    const functions = withUniqueNames(file.functions)
    lines.push('TN:', `SF:${file.path}`)
    for (const { line, name } of functions) lines.push(`FN:${line},${name}`)
    for (const { name, hits } of functions) lines.push(`FNDA:${hits},${name}`)
    lines.push(`FNF:${totals.functions[1]}`, `FNH:${totals.functions[0]}`)
    for (const [block, { line, whenTrue, whenFalse }] of file.branches.entries()) {
      // A dash: the branch was never reached.
      const taken = (count: number) => (whenTrue + whenFalse === 0 ? '-' : `${count}`)
      lines.push(`BRDA:${line},${block},0,${taken(whenTrue)}`, `BRDA:${line},${block},1,${taken(whenFalse)}`)
    }
    lines.push(`BRF:${totals.branches[1]}`, `BRH:${totals.branches[0]}`)
    for (const [line, hits] of file.lines) lines.push(`DA:${line},${hits}`)
    lines.push(`LF:${totals.lines[1]}`, `LH:${totals.lines[0]}`, 'end_of_record')
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** Functions of one name, as overloaded ones, would be one function: the format names them only. */
function withUniqueNames(functions: readonly FunctionCoverage[]): readonly FunctionCoverage[] {
  const counts = new Map<string, number>()
  for (const { name } of functions) counts.set(name, (counts.get(name) ?? 0) + 1)
  return functions.map((each) => (counts.get(each.name) === 1 ? each : { ...each, name: `${each.name}:${each.line}` }))
}
