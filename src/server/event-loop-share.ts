import { performance } from 'node:perf_hooks'

/**
 * Of the time since it was last asked, the share in which this thread's event loop was at work: requests, flashblocks,
 * whatever it was. 0 to 1.
 */
export function eventLoopUtilization(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    return utilization
  }
}
