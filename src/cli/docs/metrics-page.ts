import { METRICS, type MetricDefinition } from '../../server/metrics/definitions.ts'
import { code, page, table } from './markdown.ts'

const INTRODUCTION = `\`GET /metrics\` on the port of each network, in Prometheus' text format. Durations are seconds. Label values are of
bounded number: a client cannot make new ones.

\`GET /health\` is 200 while the process answers. \`GET /ready\` is 200 while requests should come here, and 503 where not:
\`{"ready":false,"reasons":[…],"latest":…,"tipAgeMs":…,"flashblockAgeMs":…,"writerLagBlocks":…}\`, with \`--nats\`
\`publishStalledMs\` besides. \`tipAgeMs\` is \`null\` while no block but block 0 is sealed. Neither is rate-limited.

With \`--rpc-workers\` any worker shows the metrics of all processes: every sample has a label \`process\`, which is \`writer\` for
the process that makes blocks (or follows another node) and stores them, and \`worker-1\`, \`worker-2\` … for those that answer.
What all of them know, as \`tickertape_block_number\`, each says as it sees it; \`/ready\` has \`worker\`: the \`number\` of
the one that answers, records that it has not applied (\`lagRecords\`), and how many workers answer (\`answering\`) \`of\` how many.

Every answer over HTTP carries \`X-Request-Id\`, the client's own where it sent one of up to 64 letters, digits and
\`. _ : -\`. Logs name it as \`requestId\`; those of a WebSocket have that of its upgrade.`

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
