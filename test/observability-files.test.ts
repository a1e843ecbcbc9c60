import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { METRICS, type MetricDefinition } from '../src/server/metrics/definitions.ts'
import { Metrics } from '../src/server/metrics/metrics.ts'

const FOLDER = fileURLToPath(new URL('../deploy/observability/', import.meta.url))
const DASHBOARDS = join(FOLDER, 'grafana/dashboards')
/** Labels that Prometheus adds, the label of a process, and that of a histogram's bucket. */
const COMMON_LABELS = ['job', 'instance', 'process', 'le']

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) process.stderr.write("skipped: promtool not found (Debian's package prometheus)\n")

interface Rule {
  readonly alert: string
  readonly expr: string
}
interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}
interface Dashboard {
  readonly uid: string
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { query: string } }[]
  }
}

const text = (file: string) => readFileSync(join(FOLDER, file), 'utf8')
const rules = (
  parse(text('alerts.yml')) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
).groups.flatMap((group) => group.rules)
const dashboards = readdirSync(DASHBOARDS).map(
  (file) => [file, JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) as Dashboard] as const,
)
const queriesOf = ({ panels, templating }: Dashboard) => [
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query])),
]

/** The metric that a name in a query belongs to, which may be a part of a histogram. */
function definitionOf(name: string): MetricDefinition | undefined {
  const metrics: Readonly<Record<string, MetricDefinition>> = METRICS
  const histogram = metrics[name.replace(/_(?:bucket|sum|count)$/, '')]
  return metrics[name] ?? (histogram?.type === 'histogram' ? histogram : undefined)
}

/** Metrics in a query that the node does not have, and labels that a metric does not have. */
function unknownIn(query: string): readonly string[] {
  const uses = query.matchAll(/\b((?:tickertape|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)
  return [...uses].flatMap(([, name = '', matchers = '']) => {
    const definition = definitionOf(name)
    if (definition === undefined) return [name]
    const labels = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!)
    const known = [...(definition.labels ?? []), ...COMMON_LABELS]
    return labels.filter((label) => !known.includes(label)).map((label) => `${name}{${label}}`)
  })
}

test('alert rules use only metrics and labels that the node has', () => {
  expect(rules.flatMap(({ expr }) => unknownIn(expr))).toEqual([])
})

test('every alert rule has a unit test', () => {
  const { tests } = parse(text('alerts.test.yml'))
  const tested = tests.flatMap(
    (one: { alert_rule_test: readonly { alertname: string; exp_alerts: readonly object[] }[] }) =>
      one.alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname),
  )

  expect(rules.map(({ alert }) => alert).filter((alert) => !tested.includes(alert))).toEqual([])
})

describe.each(dashboards)('the dashboard %s', (_, dashboard) => {
  test('uses only metrics and labels that the node has', () => {
    expect(queriesOf(dashboard).flatMap(unknownIn)).toEqual([])
  })
})

test('the check of metrics finds unknown names and labels', () => {
  expect(unknownIn('rate(tickertape_no_such_total[5m]) + tickertape_leader{tag="x"} + process_open_fds')).toEqual([
    'tickertape_no_such_total',
    'tickertape_leader{tag}',
  ])
})

test('the compose file mounts the files that it needs', () => {
  const { services } = parse(text('compose.yaml'))
  const sources = Object.values(services as Record<string, { volumes?: readonly string[] }>)
    .flatMap(({ volumes = [] }) => volumes)
    .filter((volume) => volume.startsWith('./'))
    .map((volume) => volume.split(':')[0]!)

  expect(sources.map((source) => readdirSync(FOLDER).includes(source.split('/')[1]!))).toEqual(sources.map(() => true))
})

describe.runIf(hasPromtool)('promtool', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tickertape-promtool-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function promtool(args: readonly string[], input = ''): { readonly status: number | null; readonly output: string } {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, input, encoding: 'utf8' })
    return { status, output: `${stdout}${stderr}` }
  }

  test.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', '--lint-fatal', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('%s %s accepts the files', (...args) => {
    const { status, output } = promtool(args)

    expect(status, output).toBe(0)
  })

  test('parses every query of the dashboards', () => {
    const exprs = dashboards.flatMap(([, { panels }]) =>
      panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m'))),
    )
    const recording = exprs.map((expr, index) => ({ record: `query:${index}`, expr }))
    // YAML includes JSON.
    writeFileSync(join(folder, 'queries.yml'), JSON.stringify({ groups: [{ name: 'queries', rules: recording }] }))

    const { status, output } = promtool(['check', 'rules', join(folder, 'queries.yml')])

    expect(status, output).toBe(0)
  })

  test('accepts every metric of the node', async () => {
    const metrics = new Metrics({ process: 'writer' })
    for (const [name, { type, labels = [] }] of Object.entries<MetricDefinition>(METRICS)) {
      const values = labels.map(() => 'value')
      // Each name has the type of its definition.
      if (type === 'histogram') metrics.histogram(name as Parameters<Metrics['histogram']>[0], ...values).observe(0.1)
      else metrics.read(name as Parameters<Metrics['read']>[0], () => [[values, 1]])
    }

    const { status, output } = promtool(['check', 'metrics'], await metrics.text())

    expect(output).toBe('')
    expect(status).toBe(0)
  })
})
