import type { ClusterNode, ClusterState, LeaseState } from '../../replication/nats/cluster-client.ts'

/** Characters of the hash of block 0 that a report shows. */
const SHOWN_HASH = 18

const HEADINGS = ['NAME', 'ROLE', 'RECORD', 'LAG', 'BLOCK', 'EPOCH', 'CLOCK', 'VERSION']

/** Lines about a chain and its nodes. */
export function clusterText({ chain, records, lease, nodes }: ClusterState): string {
  const range = records === undefined ? 'no records' : `records ${records.first} to ${records.last}`
  const rows = [HEADINGS, ...nodes.map(rowOf)]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  const table = nodes.length === 0 ? ['no node answers: those with --failover do'] : lines
  const head = `chain ${chain.chainId} (${chain.genesisHash.slice(0, SHOWN_HASH)}…): ${range}`
  return `${[head, leaseText(lease), ...table].join('\n')}\n`
}

/** The state of a cluster as JSON, for programs. */
export function clusterJson({ chain, records, lease, nodes }: ClusterState): object {
  return {
    chainId: Number(chain.chainId),
    genesisHash: chain.genesisHash,
    records: records ?? null,
    lease: lease ?? null,
    leader: nodes.find(({ role }) => role === 'leader')?.name ?? null,
    nodes: nodes.map(({ name, role, sequence, lagRecords, block, epoch, couldLead, clockOffsetMs, version }) => {
      return { name, role, sequence, lagRecords, block, epoch: epoch ?? null, couldLead, clockOffsetMs, version }
    }),
  }
}

function leaseText(lease: LeaseState | undefined): string {
  if (lease === undefined) return 'lease: none, because no node with --failover has run'
  const { holder, leaseTtlMs, renewedMsAgo } = lease
  if (holder === undefined) return `lease: free, for ${leaseTtlMs} ms once a node acquires it`
  return `lease: ${holder}, renewed ${renewedMsAgo} ms ago, for ${leaseTtlMs} ms`
}

function rowOf({ name, role, sequence, lagRecords, block, epoch, couldLead, clockOffsetMs, version }: ClusterNode) {
  const state = role === 'standby' && !couldLead ? 'standby, not ready' : role
  const clock = clockOffsetMs === 0 ? 'right' : `${clockOffsetMs > 0 ? '+' : ''}${clockOffsetMs} ms`
  const since = epoch === undefined ? 'older' : `${epoch.sequence} (${epoch.leader})`
  return [name, state, String(sequence), String(lagRecords), String(block), since, clock, version]
}
