import { METRICS, type MetricDefinition } from '../../src/server/metrics/definitions.ts'
import { code, page, table } from './markdown.ts'

const INTRODUCTION = `\`GET /metrics\` on the port of each network returns Prometheus text format; beyond loopback and behind a proxy only with
\`--expose-metrics\`. Durations are in seconds. The number of label values is bounded: clients cannot create new ones.

\`GET /health\` returns 200 while the process responds. \`GET /ready\` returns 200 while the node can serve requests, otherwise 503:
\`{"ready":false,"reasons":[…],"latest":…,"tipAgeMs":…,"flashblockAgeMs":…,"writerLagBlocks":…}\`, with \`--nats\` also
\`publishStalledMs\`. \`tipAgeMs\` is \`null\` until block 1 is sealed. Neither endpoint is rate-limited.

With \`--rpc-workers\`, every worker returns the metrics of all processes. Every sample has the label \`process\`: \`writer\` for the
process that makes or follows blocks and stores them, \`worker-1\`, \`worker-2\` … for the RPC workers. Metrics that every process has,
such as \`tickertape_block_number\`, are reported by each. \`/ready\` has the member \`worker\`: the \`number\` of the responding worker,
records it has not applied (\`lagRecords\`), and how many workers serve clients (\`answering\`) out of how many (\`of\`).

Every HTTP response has an \`X-Request-Id\` header: the client's own if it sent one of up to 64 letters, digits and \`. _ : -\`.
Logs contain it as \`requestId\`; requests over a WebSocket have the id of its upgrade.`

/** `docs/metrics.md`: every metric. */
export function metricsPage(): string {
  const rows = Object.entries<MetricDefinition>(METRICS).map(([name, { type, labels = [], help }]) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ])
  return page(
    'Metrics, health, readiness',
    '`src/server/metrics/definitions.ts`',
    INTRODUCTION,
    table(['metric', 'type', 'labels', 'meaning'], rows),
  )
}
