import { useMemo, useRef } from 'preact/hooks'
import { grouped } from '../../../live/amount.ts'
import type { NodeClient } from '../../../live/node-client.ts'
import { useNow, useStore, useStudio } from '../../client/studio.ts'
import { type LagSample, lagSample, lagSeries, withSample } from '../../model/cluster/lag-history.ts'
import {
  metricValues,
  type ReadinessFacts,
  readinessFacts,
  servedReplicas,
} from '../../model/cluster/readiness-facts.ts'
import { Badge, type Fact, Facts, LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { type ChartSeries, LineChart } from '../../widgets/line-chart.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'
import { Punctuality } from '../live/punctuality.tsx'

/** Milliseconds between reads. */
const INTERVAL_MS = 2_000

interface ClusterFacts {
  readonly readiness: ReadinessFacts | undefined
  readonly metrics: ReadonlyMap<string, number>
  readonly lag: LagSample
}

/** This node among its leader, standbys, replicas and RPC workers. */
export function ClusterPanel() {
  const { client, capabilities, live, now } = useStudio()
  const found = useStore(capabilities)
  const state = useStore(live.state)
  const tick = Math.floor(useNow() / INTERVAL_MS)
  const loaded = useRequest('cluster', () => readCluster(client, now()), tick)
  const kept = useRef<readonly LagSample[]>([])
  if (loaded.kind === 'ready') kept.current = withSample(kept.current, loaded.value.lag)
  const samples = kept.current
  return (
    <div class="view">
      <h1>Cluster</h1>
      <LoadedContent loaded={loaded}>
        {({ readiness, metrics }) =>
          readiness === undefined ? (
            <Notice>This node has no page /ready as Tickertape nodes have, so nothing is known of its cluster.</Notice>
          ) : (
            <>
              <Panel
                title="This node"
                aside={
                  <Badge tone={readiness.isReady ? 'good' : 'bad'}>{readiness.isReady ? 'ready' : 'not ready'}</Badge>
                }
              >
                {readiness.reasons.map((reason) => (
                  <Notice key={reason} kind="problem">
                    {reason}
                  </Notice>
                ))}
                <Facts
                  facts={[
                    { label: 'Version', value: found?.clientVersion },
                    ...readiness.facts.map(([label, value]) => ({ label, value })),
                  ]}
                />
              </Panel>
              <Panel title="Connected to it">
                <Facts facts={connectionFacts(metrics)} />
              </Panel>
              <ReplicasPanel replicas={servedReplicas(metrics)} />
              <div class="cards">
                <LagCharts samples={samples} />
                <Punctuality timeline={state.timeline} isWhole={state.mode === 'blocks'} />
              </div>
            </>
          )
        }
      </LoadedContent>
    </div>
  )
}

const RECORD_SERIES: readonly ChartSeries[] = [
  { label: 'this node', tone: 'calm' },
  { label: 'its slowest replica', tone: 'strong' },
]
const STORE_SERIES: readonly ChartSeries[] = [{ label: 'not stored yet', tone: 'calm' }]
const CHART_HEIGHT = 150

/** How far nodes and the store were behind since this view was opened. */
function LagCharts({ samples }: { readonly samples: readonly LagSample[] }) {
  const records = useMemo(() => lagSeries(samples, ['own', 'replicas']), [samples])
  const blocks = useMemo(() => lagSeries(samples, ['unstored']), [samples])
  const hasRecords = samples.some(({ own, replicas }) => own !== undefined || replicas !== undefined)
  return (
    <>
      <Panel title="Records behind">
        {hasRecords ? (
          <LineChart label="Records behind" data={records} series={RECORD_SERIES} unit="" height={CHART_HEIGHT} />
        ) : (
          <Notice>This node follows no other one and has no replica: tickertape replica --from starts one.</Notice>
        )}
      </Panel>
      <Panel title="Sealed blocks not stored yet">
        <LineChart
          label="Sealed blocks not stored yet"
          data={blocks}
          series={STORE_SERIES}
          unit=""
          height={CHART_HEIGHT}
        />
      </Panel>
    </>
  )
}

interface ReplicaRow {
  readonly number: string
  readonly lagRecords: number
}

const REPLICA_COLUMNS: readonly Column<ReplicaRow>[] = [
  column('Connection', 'minmax(6rem, 1fr)', ({ number }) => number),
  numberColumn('Records behind', 'minmax(8rem, 1fr)', ({ lagRecords }) => grouped(lagRecords)),
  column('State', 'minmax(8rem, 1fr)', ({ lagRecords }) =>
    lagRecords === 0 ? <Badge tone="good">up to date</Badge> : <Badge tone="busy">catching up</Badge>,
  ),
]

/** Replicas of this node. Standbys of `--failover` read the log in NATS, so their own pages show their lag. */
function ReplicasPanel({ replicas }: { readonly replicas: readonly ReplicaRow[] }) {
  if (replicas.length === 0) return null
  return (
    <Panel title="Replicas" aside={<span class="muted">{grouped(replicas.length)}</span>}>
      <VirtualTable
        label="Replicas of this node"
        rows={replicas}
        columns={REPLICA_COLUMNS}
        keyOf={({ number }) => number}
        empty="None."
      />
    </Panel>
  )
}

async function readCluster(node: Pick<NodeClient, 'read' | 'connection'>, at: number): Promise<ClusterFacts> {
  const [ready, metrics] = await Promise.all([
    node.read('ready').catch((error) => {
      // Browsers hide responses of other hosts that do not allow this page, such as the 404 of Anvil.
      if (node.connection.value.kind === 'offline') throw error
      return { text: '' }
    }),
    node.read('metrics').catch(() => ({ text: '' })),
  ])
  const values = metricValues(metrics.text)
  return {
    readiness: readinessFacts(ready.text),
    metrics: values,
    lag: lagSample(at, ready.text, servedReplicas(values)),
  }
}

/** Metrics that count what is connected. */
const COUNTED = [
  ['Replicas', 'tickertape_replicas'],
  ['WebSockets', 'tickertape_open_sockets'],
  ['Subscriptions', 'tickertape_subscriptions'],
  ['Connections', 'tickertape_open_connections'],
] as const

function connectionFacts(metrics: ReadonlyMap<string, number>): readonly (Fact | undefined)[] {
  return COUNTED.map(([label, name]) => {
    const value = metrics.get(name)
    return value === undefined ? undefined : { label, value: grouped(value) }
  })
}
