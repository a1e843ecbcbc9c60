import { JUMPI_OPCODE } from '../bytecode/opcodes.ts'
import type { CompiledSources } from '../syntax/compiled-sources.ts'
import { contains, type SourceRange } from '../syntax/syntax-tree.ts'
import type { CodeMap } from './code-map.ts'

/** The conditional jump of an `if` or of a conditional expression. */
export interface BranchJump {
  readonly programCounter: number
  /** Of the whole statement or expression. */
  readonly range: SourceRange
  /** Value of the condition with which it jumps. */
  readonly jumpsWhen: boolean
}

/**
 * The conditional jumps of branches in code that was not compiled through Yul: there they have the range of their
 * statement or expression. Branches of `require`, loops, `&&` and `||` are left out. Needs syntax trees.
 */
export function branchJumps(map: CodeMap, sources: CompiledSources): readonly BranchJump[] {
  const jumps: BranchJump[] = []
  for (const programCounter of map.programCounters()) {
    if (map.opcodeAt(programCounter) !== JUMPI_OPCODE) continue
    const range = map.rangeAt(programCounter)
    const branch = range && sources.syntax.branchWithRange(range)
    if (range === undefined || branch === undefined) continue
    const next = map.rangeAt(programCounter + 1)
    const continuesWhenTrue = next !== undefined && contains(branch.whenTrue, next)
    const continuesWhenFalse = next !== undefined && branch.whenFalse !== undefined && contains(branch.whenFalse, next)
    // The compiler jumps over the body of an `if`, and to the first value of a conditional expression.
    const jumpsWhen = continuesWhenFalse || (!continuesWhenTrue && branch.kind === 'Conditional')
    jumps.push({ programCounter, range, jumpsWhen })
  }
  return jumps
}
