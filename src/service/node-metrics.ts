import type { WorkMeter, WorkStep } from '../node/core/work-meter.ts'
import type { PublishingCondition } from '../node/log/replicated-log.ts'
import { developmentOf, type NodeHandle } from '../node/roles/node-handle.ts'
import { secp256k1Implementation } from '../primitives/secp256k1/secp256k1.ts'
import type { HistogramName } from '../server/metrics/definitions.ts'
import type { Metrics, Reading } from '../server/metrics/metrics.ts'
import type { FailoverCondition, FollowingCondition, NodeCondition } from '../server/readiness.ts'

const STEPS: Readonly<Record<WorkStep, HistogramName>> = {
  lateness: 'tickertape_tick_lateness_seconds',
  build: 'tickertape_flashblock_build_seconds',
  announce: 'tickertape_flashblock_announce_seconds',
  seal: 'tickertape_seal_seconds',
  commit: 'tickertape_commit_seconds',
  sync: 'tickertape_record_sync_seconds',
  publish: 'tickertape_record_publish_seconds',
}

/** Observes the duration of each step of the node's work in histograms. @param traces note it as well */
export function workMeter(metrics: Metrics, traces: { readonly meter: WorkMeter } | undefined): WorkMeter {
  return (step, milliseconds) => {
    metrics.histogram(STEPS[step]).observe(milliseconds / 1000)
    traces?.meter(step, milliseconds)
  }
}

/** Returns a function that reads the current condition of a node. */
export function watchCondition(
  node: NodeHandle,
  clock: { wall(): number; monotonic(): number },
  others: {
    readonly isStopping: () => boolean
    /** URL of the followed node, if any. */
    readonly source: string | undefined
  },
): () => NodeCondition {
  let announced = clock.monotonic()
  node.events.on('flashblock', () => {
    announced = clock.monotonic()
  })
  return () => {
    const { head } = node.view()
    const { latest, safe } = head.sealed
    // Not the whole block, whose body may be damaged.
    const tip = head.recent.at(-1)?.block.header ?? head.base.header(latest)!
    return {
      latest,
      tipAgeMs: latest === 0 ? undefined : clock.wall() - Number(tip.timestamp) * 1000,
      flashblockAgeMs: clock.monotonic() - announced,
      // Stored blocks are safe.
      writerLag: latest - safe,
      hasFailed: node.hasFailed,
      damagedTables: [...(node.damage?.tables ?? [])],
      isStopping: others.isStopping(),
      isOnDemand: node.isOnDemand,
      printsExecutions: developmentOf(node)?.logging.isEnabled,
      publishing: publishingOf(node),
      following: followingCondition(node, others.source),
      failover: failoverCondition(node),
    }
  }
}

function publishingOf(node: NodeHandle): PublishingCondition | undefined {
  return node.role === 'solo' || node.role === 'failover' ? node.publishing : undefined
}

function followingCondition(node: NodeHandle, source: string | undefined): FollowingCondition | undefined {
  const following = node.role === 'replica' || node.role === 'failover' ? node.following : undefined
  if (following === undefined || source === undefined) return undefined
  const { isConnected, newestSequence, sequence, silenceMs, connections, snapshots, duplicates, faults } = following
  const lagRecords = Math.max(0, newestSequence - sequence)
  return { source, isConnected, lagRecords, silenceMs, connections, snapshots, duplicates, faults }
}

function failoverCondition(node: NodeHandle): FailoverCondition | undefined {
  if (node.role !== 'failover') return undefined
  const { role, name, epoch, leaseHolder, clockOffsetMs, takeOvers, standDowns } = node.failover
  const leader = role === 'leader' ? name : epoch?.leader
  return { role, name, leader, epoch: epoch?.sequence, leaseHolder, clockOffsetMs, takeOvers, standDowns }
}

/** Registers the metrics that are read from the node. */
export function readNodeMetrics(metrics: Metrics, node: NodeHandle, condition: () => NodeCondition): void {
  metrics.read('tickertape_block_number', () => {
    const { sealed, pending } = node.view().head
    return [['pending', pending.block.header.number], ...Object.entries(sealed)]
  })
  metrics.read('tickertape_flashblock_age_seconds', () => condition().flashblockAgeMs / 1000)
  metrics.read('tickertape_chain_time_ahead_seconds', () => Math.max(0, -(condition().tipAgeMs ?? 0)) / 1000)
  metrics.read('tickertape_signature_library', () => [[secp256k1Implementation, 1]])
  metrics.read('tickertape_flashblocks_total', () => node.counts.flashblocks)
  metrics.read('tickertape_missed_slots_total', () => node.counts.missedSlots)
  metrics.read('tickertape_writer_lag_blocks', () => condition().writerLag)
  metrics.read('tickertape_pool_transactions', () => {
    const { pending, queued } = node.poolCounts
    return [
      ['pending', pending],
      ['queued', queued],
    ]
  })
  metrics.read('tickertape_disk_bytes', () => (node.role === 'reader' ? undefined : node.diskBytes()))
  metrics.read('tickertape_publish_stalled_seconds', () => {
    const publishing = publishingOf(node)
    return publishing && publishing.stalledForMs / 1000
  })
  readFollowingMetrics(metrics, () => condition().following)
  readFailoverMetrics(metrics, () => condition().failover)
}

/** Registers metrics without values for a node without failover. */
function readFailoverMetrics(metrics: Metrics, failover: () => FailoverCondition | undefined): void {
  const read = (name: Parameters<Metrics['read']>[0], value: (condition: FailoverCondition) => Reading) =>
    metrics.read(name, () => {
      const condition = failover()
      return condition && value(condition)
    })
  read('tickertape_leader', ({ role }) => Number(role === 'leader'))
  read('tickertape_epoch', ({ epoch }) => epoch)
  read('tickertape_clock_offset_seconds', ({ clockOffsetMs }) => clockOffsetMs && clockOffsetMs / 1000)
  read('tickertape_takeovers_total', ({ takeOvers }) => takeOvers)
  read('tickertape_stand_downs_total', ({ standDowns }) => standDowns)
}

/** Registers metrics without values for a node that does not follow another. */
function readFollowingMetrics(metrics: Metrics, following: () => FollowingCondition | undefined): void {
  const read = (name: Parameters<Metrics['read']>[0], value: (condition: FollowingCondition) => Reading) =>
    metrics.read(name, () => {
      const condition = following()
      return condition && value(condition)
    })
  read('tickertape_replica_connected', ({ isConnected }) => Number(isConnected))
  read('tickertape_replica_lag_records', ({ lagRecords }) => lagRecords)
  read('tickertape_replica_silence_seconds', ({ silenceMs }) => silenceMs / 1000)
  read('tickertape_replica_connections_total', ({ connections }) => connections)
  read('tickertape_replica_snapshots_total', ({ snapshots }) => snapshots)
  read('tickertape_replica_duplicates_total', ({ duplicates }) => duplicates)
  read('tickertape_replica_faults_total', ({ faults }) => Object.entries(faults))
}
