import type { StepTrace, TraceFrame } from '../trace/step-trace.ts'

/**
 * The frame where a failure began: the innermost one whose failure its callers passed on.
 *
 * @returns the last frame that failed if the transaction itself succeeded; `undefined`: none failed
 */
export function failedFrame({ frames }: Pick<StepTrace, 'frames'>): TraceFrame | undefined {
  const [top] = frames
  const start = top?.error === undefined ? frames.findLast(({ error }) => error !== undefined) : top
  if (start === undefined) return undefined
  let origin = start
  for (;;) {
    const inner = frames.findLast(({ parent }) => parent === origin.index)
    if (inner?.error === undefined || !passedOn(inner, origin)) return origin
    origin = inner
  }
}

/** A caller passes a failure on with its data; one that checks the result may revert with other data. */
function passedOn(inner: TraceFrame, outer: TraceFrame): boolean {
  return inner.output.length === outer.output.length && inner.output.every((byte, at) => byte === outer.output[at])
}
