import { JUMPDEST_OPCODE } from '../bytecode/opcodes.ts'
import type { SolidityFunction } from '../syntax/syntax-index.ts'
import { isSyntaxNode, nodesIn } from '../syntax/syntax-tree.ts'
import type { StepTrace } from '../trace/step-trace.ts'
import type { Activations } from './activations.ts'
import type { FrameCode } from './frame-code.ts'

/**
 * Finds steps in code that the optimizer shares between functions. Equal blocks, as those that revert with an error,
 * are kept once, with the place of one of them: a jump then leads to a line of a function that does not run
 * (solc, `libevmasm/BlockDeduplicator.cpp`).
 *
 * @returns whether a step's place is that of another function
 */
export function sharedCode(
  { count, opcodes, programCounters }: StepTrace,
  codes: readonly (FrameCode | undefined)[],
  { list, byStep }: Activations,
): (step: number) => boolean {
  const isShared = new Uint8Array(count)
  const modifiers = new Map<SolidityFunction, ReadonlySet<string>>()
  const belongs = (called: SolidityFunction, around: SolidityFunction): boolean => {
    if (around === called) return true
    const own = modifiers.get(called) ?? modifierNames(called)
    modifiers.set(called, own)
    return around.kind === 'modifier' && own.has(around.name)
  }
  /** The activation whose steps are shared now. */
  let within = -1
  for (let step = 0; step < count; step++) {
    const { index, frame, function: called } = list[byStep[step]!]!
    const code = codes[frame]
    if (code === undefined || called?.source === undefined || !mayShare(code)) continue
    const location = code.map.locationAt(programCounters[step]!)
    const around = location.kind === 'source' ? location.function : undefined
    if (around !== undefined && belongs(called.source, around)) within = -1
    else if (around !== undefined && opcodes[step] === JUMPDEST_OPCODE) within = index
    if (within === index) isShared[step] = 1
  }
  return (step) => isShared[step] === 1
}

/** Code that came through Yul does not tell shared functions from inlined ones. */
function mayShare({ contract }: FrameCode): boolean {
  return contract.facts.isOptimized && !contract.facts.isViaIr
}

function modifierNames({ node }: SolidityFunction): ReadonlySet<string> {
  const names = nodesIn(node.modifiers).map(({ modifierName }) => (isSyntaxNode(modifierName) ? modifierName.name : ''))
  return new Set(names.map((name = '') => name.split('.').at(-1)!))
}
