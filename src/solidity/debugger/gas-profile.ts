import type { Activations } from './activations.ts'
import type { SourceLine, StepLines } from './source-lines.ts'

/** Gas that the steps of a line used themselves, without the calls that they make. */
export interface LineGas extends SourceLine {
  readonly gas: number
  readonly steps: number
}

/** A function with the functions that it calls, all its runs by one caller together: data of a flame graph. */
export interface FlameNode {
  readonly name: string
  /** Of its own steps. */
  readonly selfGas: number
  /** With that of `children`. */
  readonly totalGas: number
  readonly runs: number
  /** Where its first run begins. */
  readonly firstStep: number
  readonly children: readonly FlameNode[]
}

/**
 * Gas by line, the most expensive one first. Generated code counts for the line that it serves.
 *
 * @param lineStepOf the step whose line a step belongs to
 */
export function gasByLine(
  { lines, byStep }: StepLines,
  gas: Float64Array,
  lineStepOf: (step: number) => number | undefined,
): readonly LineGas[] {
  const sums = lines.map(() => ({ gas: 0, steps: 0 }))
  for (let step = 0; step < gas.length; step++) {
    const own = byStep[step]!
    const at = own === -1 ? lineStepOf(step) : step
    const sum = at === undefined ? undefined : sums[byStep[at]!]
    if (sum === undefined) continue
    sum.gas += gas[step]!
    sum.steps++
  }
  return lines.map((line, index) => ({ ...line, ...sums[index]! })).sort((a, b) => b.gas - a.gas)
}

interface OpenNode {
  readonly name: string
  selfGas: number
  runs: number
  readonly firstStep: number
  readonly children: Map<string, OpenNode>
}

/** @param nameOf names an activation, by its index */
export function flameGraph(
  { list, byStep }: Activations,
  gas: Float64Array,
  nameOf: (activation: number) => string,
): FlameNode {
  const root: OpenNode = { name: '', selfGas: 0, runs: 0, firstStep: 0, children: new Map() }
  const nodes: OpenNode[] = []
  for (const { index, parent, kind, firstStep, function: called } of list) {
    const within = parent === undefined ? root : nodes[parent]!
    const name = nameOf(index)
    const isEntered = parent !== undefined && list[parent]!.kind === 'external' && within.name === name
    // The code that selects a function jumps into it: both are one run. Generated functions belong to their callers.
    if (parent !== undefined && kind === 'internal' && (isEntered || called?.source === undefined)) {
      nodes.push(within)
      continue
    }
    const node = within.children.get(name) ?? { name, selfGas: 0, runs: 0, firstStep, children: new Map() }
    node.runs++
    within.children.set(name, node)
    nodes.push(node)
  }
  for (let step = 0; step < gas.length; step++) nodes[byStep[step]!]!.selfGas += gas[step]!
  return flameNode([...root.children.values()][0] ?? root)
}

function flameNode({ name, selfGas, runs, firstStep, children }: OpenNode): FlameNode {
  const inner = Array.from(children.values(), flameNode).sort((a, b) => b.totalGas - a.totalGas)
  return {
    name,
    selfGas,
    runs,
    firstStep,
    totalGas: inner.reduce((sum, { totalGas }) => sum + totalGas, selfGas),
    children: inner,
  }
}
