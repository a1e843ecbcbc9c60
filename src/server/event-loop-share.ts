import { performance } from 'node:perf_hooks'

/** Share of the time since the last call that the event loop of this thread was busy, 0 to 1. */
export function eventLoopUtilization(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    return utilization
  }
}
