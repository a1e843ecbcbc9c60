import type { FlameNode } from '../../../solidity/debugger/gas-profile.ts'

/** A function in a flame graph. */
export interface FlameFrame {
  readonly node: FlameNode
  /** Of the width of the graph, from 0 to 1. */
  readonly x: number
  readonly width: number
  /** Row; 0 for the outermost function. */
  readonly depth: number
}

/** Frames that are drawn, rows, and the narrowest frame. */
const MAX_FRAMES = 600
const MAX_DEPTH = 40
const MIN_WIDTH = 0.001

/** Places of the functions of a flame graph, each below its caller and as wide as its share of the gas. */
export function flameLayout(root: FlameNode): readonly FlameFrame[] {
  const frames: FlameFrame[] = []
  let row: readonly FlameFrame[] = [{ node: root, x: 0, width: 1, depth: 0 }]
  // Row by row, so that the bound leaves out inner functions.
  while (row.length > 0 && row[0]!.depth < MAX_DEPTH && frames.length < MAX_FRAMES) {
    frames.push(...row.slice(0, MAX_FRAMES - frames.length))
    row = row.flatMap(childrenOf)
  }
  return frames
}

function childrenOf({ node, x, width, depth }: FlameFrame): readonly FlameFrame[] {
  let at = x
  return node.children.flatMap((child) => {
    const share = node.totalGas > 0 ? (width * Math.max(0, child.totalGas)) / node.totalGas : 0
    const frame = { node: child, x: at, width: share, depth: depth + 1 }
    at += share
    return share >= MIN_WIDTH ? [frame] : []
  })
}

/** A function with the gas of all its runs. */
export interface FlameFunction {
  readonly name: string
  readonly selfGas: number
  readonly runs: number
  readonly firstStep: number
}

/** Functions that are listed. */
const MAX_FUNCTIONS = 200

/** Functions by the gas of their own steps, the most expensive one first, from whichever callers. */
export function functionsByGas(root: FlameNode): readonly FlameFunction[] {
  const byName = new Map<string, FlameFunction>()
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { name, selfGas, runs, firstStep, children } = node
    const before = byName.get(name) ?? { name, selfGas: 0, runs: 0, firstStep }
    byName.set(name, {
      name,
      selfGas: before.selfGas + selfGas,
      runs: before.runs + runs,
      firstStep: Math.min(before.firstStep, firstStep),
    })
    open.push(...children)
  }
  return [...byName.values()].sort((a, b) => b.selfGas - a.selfGas).slice(0, MAX_FUNCTIONS)
}
