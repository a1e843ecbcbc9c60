/** Progress of a replica. */
export interface FollowingCondition {
  /** URL of the source. */
  readonly source: string
  readonly isConnected: boolean
  /** Records of the source that the replica has not applied, as far as it knows. */
  readonly lagRecords: number
  /** Milliseconds since the last message of the source. */
  readonly silenceMs: number
  /** Since the start. */
  readonly connections: number
  readonly snapshots: number
  readonly duplicates: number
  /** Rejected messages and closed connections, by reason. */
  readonly faults: Readonly<Record<string, number>>
}

/** Role of a failover node. */
export interface FailoverCondition {
  readonly role: 'standby' | 'taking-over' | 'leader' | 'handing-over' | 'standing-down'
  /** Name of this node. */
  readonly name: string
  /** Leader of the newest blocks, if known. */
  readonly leader: string | undefined
  /** Sequence number of the record that started its leadership. */
  readonly epoch: number | undefined
  readonly leaseHolder: string | undefined
  /** By which the clock of this node is ahead of that of the NATS servers, negative if behind; `undefined`: unknown. */
  readonly clockOffsetMs: number | undefined
  /** Since the start. */
  readonly takeOvers: number
  readonly standDowns: number
}

/** Condition of a node; ages and times in milliseconds. */
export interface NodeCondition {
  readonly latest: number
  /**
   * Since the timestamp of the newest sealed block; negative while the clock is behind it. `undefined` while the newest
   * block is block 0, whose timestamp is fixed.
   */
  readonly tipAgeMs: number | undefined
  /** Since the newest flashblock was announced. */
  readonly flashblockAgeMs: number
  /** Sealed blocks that are not stored yet. */
  readonly writerLag: number
  readonly hasFailed: boolean
  /** Tables of the database with entries that cannot be read. Default: none. */
  readonly damagedTables?: readonly string[] | undefined
  readonly isStopping: boolean
  /** Blocks are built on demand: their age says nothing. */
  readonly isOnDemand?: boolean | undefined
  /** Whether a development node prints transactions and calls (`anvil_setLoggingEnabled`). */
  readonly printsExecutions?: boolean | undefined
  /**
   * Replicated log that must acknowledge records before they are announced: its name, and for how long it has stalled.
   */
  readonly publishing?: { readonly target: string; readonly stalledForMs: number } | undefined
  /** Set on replicas. */
  readonly following?: FollowingCondition | undefined
  /** Set on failover nodes. */
  readonly failover?: FailoverCondition | undefined
  /** Set on RPC workers. */
  readonly worker?: WorkerCondition | undefined
}

/** Progress of an RPC worker. */
export interface WorkerCondition {
  readonly number: number
  /** Records not applied yet, as far as it knows. */
  readonly lagRecords: number
  /** Milliseconds since the last message of the other process. */
  readonly silenceMs: number
  /** RPC workers that serve clients, including this one, and their configured number. */
  readonly answering: number
  readonly of: number
}

export interface ReadinessLimits {
  readonly maxTipAgeMs: number
  readonly maxFlashblockAgeMs: number
  readonly maxWriterLag: number
}

/** Limits derived from a schedule: a few missed slots do not affect readiness, a whole missed block does. */
export function readinessLimits(schedule: {
  readonly blockTimeMs: number
  readonly intervalMs: number
  readonly maxBlocksBehind: number
  /** Milliseconds without flashblocks that the schedule itself has. Default: 0. */
  readonly pauseMs?: number
}): ReadinessLimits {
  const { blockTimeMs, intervalMs, maxBlocksBehind, pauseMs = 0 } = schedule
  return {
    // Timestamps are whole seconds, and those of the end of a block.
    maxTipAgeMs: 3 * blockTimeMs + 1_000,
    maxFlashblockAgeMs: Math.max(1_000, 5 * intervalMs) + pauseMs,
    maxWriterLag: maxBlocksBehind,
  }
}

/** Longest milliseconds between messages to an RPC worker. */
const PULSE_MS = 1_000

/** Reasons why requests should go to another node; empty when ready. */
export function notReady(condition: NodeCondition, limits: ReadinessLimits): readonly string[] {
  const { writerLag, hasFailed, isStopping, publishing, following, worker, damagedTables = [] } = condition
  const reasons: string[] = []
  if (isStopping) reasons.push('the node is shutting down')
  if (hasFailed) reasons.push('the node has failed and must be restarted: see its log')
  if (damagedTables.length > 0) {
    const tables = damagedTables.join(', ')
    reasons.push(`degraded: damaged data in ${tables}; run \`tickertape verify\` and \`tickertape repair\``)
  }
  if (worker !== undefined && worker.silenceMs > limits.maxFlashblockAgeMs + PULSE_MS) {
    reasons.push(`no message from the process that writes the chain for ${Math.round(worker.silenceMs)} ms`)
  }
  if (following !== undefined && following.silenceMs > limits.maxFlashblockAgeMs) {
    reasons.push(`no message from ${following.source} for ${Math.round(following.silenceMs)} ms`)
  }
  if (publishing !== undefined && publishing.stalledForMs > limits.maxFlashblockAgeMs) {
    const waiting = `records wait for ${publishing.target}, ${Math.round(publishing.stalledForMs)} ms so far`
    reasons.push(`${waiting}: nothing is announced until they are there`)
  }
  if (condition.isOnDemand !== true) reasons.push(...lateBlocks(condition, limits))
  if (writerLag >= limits.maxWriterLag) {
    reasons.push(`${writerLag} sealed blocks wait for the disk, and sealing waits for them`)
  }
  return reasons
}

/** Why blocks on a schedule are late. */
function lateBlocks({ flashblockAgeMs, tipAgeMs }: NodeCondition, limits: ReadinessLimits): readonly string[] {
  const reasons: string[] = []
  if (flashblockAgeMs > limits.maxFlashblockAgeMs) {
    reasons.push(
      `the newest flashblock is ${Math.round(flashblockAgeMs)} ms old, more than ${limits.maxFlashblockAgeMs}`,
    )
  }
  if (tipAgeMs === undefined) {
    reasons.push('no block is sealed yet')
  } else if (tipAgeMs > limits.maxTipAgeMs) {
    reasons.push(`the newest sealed block is ${Math.round(tipAgeMs)} ms old, more than ${limits.maxTipAgeMs}`)
  }
  return reasons
}
