import { stackDelta } from '../bytecode/opcodes.ts'
import { MAX_CALL_DEPTH, type StepTrace } from './step-trace.ts'

/** Words on the stack before each step. */
export function stackHeights({ count, opcodes, depths }: StepTrace): Uint16Array {
  const heights = new Uint16Array(count)
  /** Height after the last step at each depth. */
  const after = new Int32Array(MAX_CALL_DEPTH + 2)
  let previousDepth = 0
  for (let step = 0; step < count; step++) {
    const depth = depths[step]!
    // A frame begins with nothing.
    if (depth > previousDepth) after[depth] = 0
    previousDepth = depth
    heights[step] = after[depth]!
    after[depth]! += stackDelta(opcodes[step]!)
  }
  return heights
}
