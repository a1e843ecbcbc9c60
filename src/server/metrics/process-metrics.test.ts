import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { Metrics } from './metrics.ts'
import { readProcessMetrics } from './process-metrics.ts'

function processMetrics(): Metrics {
  const metrics = new Metrics()
  onTestFinished(readProcessMetrics({ version: '1.2.3' }, metrics))
  return metrics
}

/** Blocks the event loop. */
function block(): undefined {
  const end = performance.now() + 200
  while (performance.now() < end);
}

/** Values by name and labels. */
async function samplesOf(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

test('reports versions, file descriptors and memory under the names of prom-client', async () => {
  const samples = await samplesOf(processMetrics())

  const { node } = process.versions
  const [major, minor, patch] = node.split('.')
  expect(samples.get(`tickertape_build_info{version="1.2.3",node="${node}"}`)).toBe(1)
  const version = `version="v${node}",major="${major}",minor="${minor}",patch="${patch}"`
  expect(samples.get(`nodejs_version_info{${version}}`)).toBe(1)
  expect(samples.get('nodejs_heap_size_used_bytes')).toBeLessThan(samples.get('nodejs_heap_size_total_bytes')!)
  expect(samples.get('nodejs_heap_space_size_used_bytes{space="old"}')).toBeGreaterThan(0)
})

test.runIf(process.platform === 'linux')('counts open file descriptors below their limit', async () => {
  const samples = await samplesOf(processMetrics())

  expect(samples.get('process_open_fds')).toBeGreaterThan(2)
  expect(samples.get('process_open_fds')).toBeLessThan(samples.get('process_max_fds')!)
})

test('observes garbage collections by kind', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const metrics = processMetrics()

  collect()

  const name = 'nodejs_gc_duration_seconds_count{kind="major"}'
  await expect.poll(async () => (await samplesOf(metrics)).get(name)).toBeGreaterThanOrEqual(1)
})

test('reports one measurement of the event loop delay under both names, then begins the next', async () => {
  const metrics = processMetrics()
  let samples: ReadonlyMap<string, number> = new Map()
  const longestOf = (found: typeof samples) => found.get('nodejs_eventloop_lag_max_seconds')
  let isBlocking = false
  await expect
    .poll(async () => {
      // The monitor has to run before and after the loop is blocked.
      isBlocking = !isBlocking
      if (isBlocking) return block()
      samples = await samplesOf(metrics)
      return longestOf(samples)
    })
    .toBeGreaterThan(0.1)
  const next = await samplesOf(metrics)

  expect(samples.get('tickertape_event_loop_delay_seconds{statistic="max"}')).toBe(longestOf(samples))
  expect(longestOf(next)).toBeLessThan(0.1)
})
