import { grouped } from '../../../live/amount.ts'
import type { NodeClient } from '../../../live/node-client.ts'
import { useNow, useStore, useStudio } from '../../client/studio.ts'
import { metricValues, type ReadinessFacts, readinessFacts, servedReplicas } from '../../model/readiness-facts.ts'
import { Badge, type Fact, Facts, LoadedContent, Notice, Panel } from '../../widgets/layout.tsx'
import { useRequest } from '../../widgets/use-request.ts'
import { type Column, column, numberColumn, VirtualTable } from '../../widgets/virtual-table.tsx'

/** Milliseconds between reads. */
const INTERVAL_MS = 2_000

interface ClusterFacts {
  readonly readiness: ReadinessFacts | undefined
  readonly metrics: ReadonlyMap<string, number>
}

/** This node among its leader, standbys, replicas and RPC workers. */
export function ClusterPanel() {
  const { client, capabilities } = useStudio()
  const found = useStore(capabilities)
  const tick = Math.floor(useNow() / INTERVAL_MS)
  const loaded = useRequest('cluster', () => readCluster(client), tick)
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
            </>
          )
        }
      </LoadedContent>
    </div>
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

async function readCluster(node: Pick<NodeClient, 'read' | 'connection'>): Promise<ClusterFacts> {
  const [ready, metrics] = await Promise.all([
    node.read('ready').catch((error) => {
      // Browsers hide responses of other hosts that do not allow this page, such as the 404 of Anvil.
      if (node.connection.value.kind === 'offline') throw error
      return { text: '' }
    }),
    node.read('metrics').catch(() => ({ text: '' })),
  ])
  return { readiness: readinessFacts(ready.text), metrics: metricValues(metrics.text) }
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
