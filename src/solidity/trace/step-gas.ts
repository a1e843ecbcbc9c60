import { framesOfSteps, lastOwnStep, MAX_CALL_DEPTH, type StepTrace } from './step-trace.ts'

/**
 * Gas of each step itself: that of a call is without the gas of the frame that it opens. The last step of a frame also
 * carries the code deposit, or the gas lost to an exceptional halt.
 */
export function gasOfSteps(trace: StepTrace): Float64Array {
  const { count, depths, gasLeft, frames } = trace
  const gas = new Float64Array(count)
  const frameOf = framesOfSteps(trace)
  /** The last step at each depth. */
  const last = new Int32Array(MAX_CALL_DEPTH + 2).fill(-1)
  for (let step = 0; step < count; step++) {
    const depth = depths[step]!
    const before = last[depth]!
    if (before !== -1 && frameOf[before] === frameOf[step]) gas[before] = gasLeft[before]! - gasLeft[step]!
    last[depth] = step
  }
  for (const frame of frames) {
    const end = lastOwnStep(frameOf, frame)
    if (end !== undefined) gas[end] = frame.gasUsed - (frame.gas - gasLeft[end]!)
  }
  for (const { firstStep, endStep, parent, gasUsed } of frames) {
    // The call or creation is the step before the first one of its frame.
    if (parent !== undefined && endStep > firstStep) gas[firstStep - 1]! -= gasUsed
  }
  return gas
}
