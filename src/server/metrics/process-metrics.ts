import { readdir, readFile } from 'node:fs/promises'
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import type { Metrics } from './metrics.ts'
import { openFilesLimit } from './open-files-limit.ts'

/** Resolution of the event loop monitor in milliseconds. */
const RESOLUTION_MS = 20

/** Labels of `prom-client`. */
const GC_KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

/**
 * Registers metrics of the process.
 *
 * @param options.version of Tickertape
 * @returns stops monitoring
 */
export function readProcessMetrics({ version }: { readonly version: string }, metrics: Metrics): () => void {
  readVersions(version, metrics)
  readProcessorTime(metrics)
  readMemory(metrics)
  metrics.read('process_start_time_seconds', () => Math.round(performance.timeOrigin / 1000))
  metrics.read('process_open_fds', openFiles)
  metrics.read('process_max_fds', openFilesLimit)
  const stops = [monitorEventLoop(metrics), observeCollections(metrics)]
  return () => {
    for (const stop of stops) stop()
  }
}

function readVersions(version: string, metrics: Metrics): void {
  const { node } = process.versions
  metrics.read('tickertape_build_info', () => [[[version, node], 1]])
  metrics.read('nodejs_version_info', () => [[[process.version, ...node.split('.')], 1]])
}

function readProcessorTime(metrics: Metrics): void {
  metrics.read('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  metrics.read('process_cpu_user_seconds_total', () => process.cpuUsage().user / 1e6)
  metrics.read('process_cpu_system_seconds_total', () => process.cpuUsage().system / 1e6)
}

function readMemory(metrics: Metrics): void {
  metrics.read('process_resident_memory_bytes', () => process.memoryUsage.rss())
  metrics.read('process_anonymous_memory_bytes', anonymousMemory)
  metrics.read('nodejs_heap_used_bytes', () => process.memoryUsage().heapUsed)
  metrics.read('nodejs_heap_size_used_bytes', () => process.memoryUsage().heapUsed)
  metrics.read('nodejs_heap_size_total_bytes', () => process.memoryUsage().heapTotal)
  metrics.read('nodejs_external_memory_bytes', () => process.memoryUsage().external)
  const spaces = {
    nodejs_heap_space_size_total_bytes: 'space_size',
    nodejs_heap_space_size_used_bytes: 'space_used_size',
    nodejs_heap_space_size_available_bytes: 'space_available_size',
  } as const
  for (const [name, member] of Object.entries(spaces)) {
    metrics.read(name as keyof typeof spaces, () =>
      getHeapSpaceStatistics().map((space) => [space.space_name.replace(/_space$/, ''), space[member]]),
    )
  }
}

/** @returns stops monitoring */
function monitorEventLoop(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  // The measurement includes the interval of the timer.
  const seconds = (nanoseconds: number) => Math.max(0, (nanoseconds || 0) / 1e9 - RESOLUTION_MS / 1000)
  metrics.read('nodejs_eventloop_lag_seconds', currentDelay)
  metrics.read('nodejs_eventloop_lag_min_seconds', () => (delay.count === 0 ? 0 : seconds(delay.min)))
  metrics.read('nodejs_eventloop_lag_max_seconds', () => seconds(delay.max))
  metrics.read('nodejs_eventloop_lag_mean_seconds', () => seconds(delay.mean))
  metrics.read('nodejs_eventloop_lag_stddev_seconds', () => (delay.stddev || 0) / 1e9)
  metrics.read('nodejs_eventloop_lag_p50_seconds', () => seconds(delay.percentile(50)))
  metrics.read('nodejs_eventloop_lag_p90_seconds', () => seconds(delay.percentile(90)))
  metrics.read('nodejs_eventloop_lag_p99_seconds', () => seconds(delay.percentile(99)))
  metrics.read('tickertape_event_loop_delay_seconds', () => {
    const found = [
      ['mean', seconds(delay.mean)],
      ['p99', seconds(delay.percentile(99))],
      ['max', seconds(delay.max)],
    ] as const
    delay.reset()
    return found
  })
  return () => delay.disable()
}

/** Seconds until the event loop runs an action that is due now. */
function currentDelay(): Promise<number> {
  const start = performance.now()
  return new Promise((resolve) => {
    setImmediate(() => resolve((performance.now() - start) / 1000))
  })
}

/** @returns stops observing */
function observeCollections(metrics: Metrics): () => void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = GC_KINDS.get(kindOf(entry))
      if (kind !== undefined) metrics.histogram('nodejs_gc_duration_seconds', kind).observe(entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

/** Entries of the type `gc` have this detail. */
function kindOf(entry: PerformanceEntry): number {
  return (entry as PerformanceEntry & { readonly detail: { readonly kind: number } }).detail.kind
}

/** `undefined` when the system does not report it. */
async function openFiles(): Promise<number | undefined> {
  const files = await readdir('/proc/self/fd').catch(() => undefined)
  // One of them is open for this reading.
  return files && files.length - 1
}

/** `undefined` when the system does not report it. */
async function anonymousMemory(): Promise<number | undefined> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const found = /^RssAnon:\s+(\d+) kB/m.exec(status)
  return found === null ? undefined : Number(found[1]) * 1024
}
