import { expect, test } from 'vitest'
import { RpcError } from '../../rpc/protocol/errors.ts'
import { ANONYMOUS } from '../../rpc/protocol/rpc-client.ts'
import { METRICS, type MetricDefinition } from './definitions.ts'
import { sampleLine } from './exposition.ts'
import { Metrics } from './metrics.ts'
import { requestMonitor } from './request-monitor.ts'

const CLIENT = { ...ANONYMOUS, id: 'request-1' }

test('renders counters, histograms and readings in the Prometheus text format', async () => {
  const metrics = new Metrics()
  metrics.counter('tickertape_rpc_requests_total', 'eth_call', 'ok').add(3)
  for (const seconds of [0.0005, 0.002, 0.3, 100]) {
    metrics.histogram('tickertape_rpc_duration_seconds', 'eth_call').observe(seconds)
  }
  metrics.read('tickertape_pool_transactions', () => [
    ['pending', 4],
    ['queued', 1],
  ])
  metrics.read('tickertape_disk_bytes', async () => 4_096)
  metrics.read('process_anonymous_memory_bytes', () => undefined)
  const lines = (await metrics.text()).split('\n')
  expect(lines).toContain('# TYPE tickertape_rpc_requests_total counter')
  expect(lines).toContain('tickertape_rpc_requests_total{method="eth_call",outcome="ok"} 3')
  expect(lines).toContain('tickertape_rpc_duration_seconds_bucket{method="eth_call",le="0.0005"} 1')
  expect(lines).toContain('tickertape_rpc_duration_seconds_bucket{method="eth_call",le="0.0025"} 2')
  expect(lines).toContain('tickertape_rpc_duration_seconds_bucket{method="eth_call",le="10"} 3')
  expect(lines).toContain('tickertape_rpc_duration_seconds_bucket{method="eth_call",le="+Inf"} 4')
  expect(lines).toContain('tickertape_rpc_duration_seconds_count{method="eth_call"} 4')
  expect(lines).toContain('tickertape_pool_transactions{state="queued"} 1')
  expect(lines).toContain('tickertape_disk_bytes 4096')
  expect(lines.join()).not.toContain('process_anonymous_memory_bytes')
})

test('escapes label values', () => {
  const line = sampleLine('x', { labels: [['name', 'a"b\\c\nd']], value: 1 })
  expect(line).toBe('x{name="a\\"b\\\\c\\nd"} 1')
})

test('names and labels are valid and buckets ascend', () => {
  for (const [name, { labels = [], buckets = [], type }] of Object.entries<MetricDefinition>(METRICS)) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
    if (type === 'counter') expect(name).toMatch(/_total$/)
    for (const label of labels) expect(label).toMatch(/^[a-z_]+$/)
    expect([...buckets].sort((a, b) => a - b)).toEqual(buckets)
  }
})

test('counts requests by method and outcome, with one label for unknown methods', async () => {
  const metrics = new Metrics()
  const monitor = requestMonitor({ slowRequestMs: 0 }, { metrics, log: { warn: () => expect.unreachable() } })
  monitor.onResponse('eth_call', 5, undefined, { client: CLIENT, id: '1' })
  monitor.onResponse('eth_call', 5, new RpcError(3, 'execution reverted'), { client: CLIENT, id: '1' })
  monitor.onResponse('eth_call', 5, new RpcError(-32005, 'rate limit exceeded'), { client: CLIENT, id: '1' })
  monitor.onResponse(undefined, 0, new RpcError(-32601, 'x'), { client: CLIENT, id: '1' })
  monitor.onResponse('eth_call', 5, undefined, { client: ANONYMOUS, id: '1' })
  const counts = (await metrics.text()).split('\n').filter((line) => line.startsWith('tickertape_rpc_requests_total{'))
  expect(counts.sort()).toEqual([
    'tickertape_rpc_requests_total{method="eth_call",outcome="failed"} 1',
    'tickertape_rpc_requests_total{method="eth_call",outcome="limited"} 1',
    'tickertape_rpc_requests_total{method="eth_call",outcome="ok"} 1',
    'tickertape_rpc_requests_total{method="unknown",outcome="refused"} 1',
  ])
})

test('logs slow requests with method, duration, ids and client, without parameters', () => {
  const logged: object[] = []
  const log = { warn: (details: object) => logged.push(details) }
  const monitor = requestMonitor({ slowRequestMs: 100 }, { metrics: new Metrics(), log })
  monitor.onResponse('eth_call', 100, undefined, { client: CLIENT, id: '1' })
  monitor.onResponse('eth_call', 100.6, undefined, { client: CLIENT, id: `"${'x'.repeat(1_000)}"` })
  expect(logged).toEqual([
    {
      method: 'eth_call',
      milliseconds: 100.6,
      id: `"${'x'.repeat(99)}`,
      requestId: 'request-1',
      client: CLIENT.address,
      code: undefined,
    },
  ])
})

test('logs every request with its trace, and without a trace of the node that of its client', () => {
  const logged: object[] = []
  const requestLog = { info: (details: object) => logged.push(details) }
  const traces = { onResponse: (method: string) => (method === 'eth_call' ? 'trace-1' : undefined) }
  const log = { warn: () => expect.unreachable() }
  const monitor = requestMonitor({ slowRequestMs: 0 }, { metrics: new Metrics(), log, requestLog, traces })
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const client = { ...CLIENT, traceparent: `00-${traceId}-00f067aa0ba902b7-01` }

  monitor.onResponse('eth_call', 1.23456, undefined, { client: CLIENT, id: '1' })
  monitor.onResponse('eth_chainId', 0.5, new RpcError(-32005, 'limited'), { client, id: '2' })

  const common = { requestId: 'request-1', client: CLIENT.address }
  expect(logged).toEqual([
    { ...common, method: 'eth_call', milliseconds: 1.235, id: '1', code: undefined, traceId: 'trace-1' },
    { ...common, method: 'eth_chainId', milliseconds: 0.5, id: '2', code: -32005, traceId },
  ])
})
