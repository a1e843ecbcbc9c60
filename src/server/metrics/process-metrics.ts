import { readFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

/** Resolution of the event loop monitor in milliseconds. */
const RESOLUTION_MS = 20

/**
 * Registers metrics of the process.
 *
 * @returns stops monitoring
 */
export function readProcessMetrics(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  metrics.read('tickertape_event_loop_delay_seconds', () => {
    // The measurement includes the interval of the timer.
    const seconds = (nanoseconds: number) => Math.max(0, (nanoseconds || 0) / 1e9 - RESOLUTION_MS / 1000)
    const found = [
      ['mean', seconds(delay.mean)],
      ['p99', seconds(delay.percentile(99))],
      ['max', seconds(delay.max)],
    ] as const
    delay.reset()
    return found
  })
  metrics.read('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  metrics.read('process_start_time_seconds', () => Math.round(performance.timeOrigin / 1000))
  metrics.read('process_resident_memory_bytes', () => process.memoryUsage.rss())
  metrics.read('process_anonymous_memory_bytes', anonymousMemory)
  metrics.read('nodejs_heap_used_bytes', () => process.memoryUsage().heapUsed)
  metrics.read('nodejs_external_memory_bytes', () => process.memoryUsage().external)
  return () => delay.disable()
}

/** `undefined` when the system does not report it. */
export async function anonymousMemory(pid: number | 'self' = 'self'): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const found = /^RssAnon:\s+(\d+) kB/m.exec(status)
  return found === null ? undefined : Number(found[1]) * 1024
}
