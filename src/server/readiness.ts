/** How far a replica is behind the node that it follows. */
export interface FollowingCondition {
  /** Its URL. */
  readonly source: string
  readonly isConnected: boolean
  /** Records that the source has and the replica has not applied, as far as it was told. */
  readonly lagRecords: number
  /** Since the source was heard of, in milliseconds. */
  readonly silence: number
  /** Since the start. */
  readonly connections: number
  readonly snapshots: number
  readonly duplicates: number
  /** Messages that were not applied, and connections that ended, by reason. */
  readonly faults: Readonly<Record<string, number>>
}

/** How a node stands among those that may make the blocks. */
export interface FailoverCondition {
  readonly role: 'standby' | 'taking-over' | 'leader' | 'standing-down'
  /** Of this node. */
  readonly name: string
  /** Who made the newest blocks, as far as it is known. */
  readonly leader: string | undefined
  /** Number of the record with which that began. */
  readonly epoch: number | undefined
  readonly leaseHolder: string | undefined
  /** Since the start. */
  readonly takeOvers: number
  readonly standDowns: number
}

/** How a node is doing; ages and times in milliseconds. */
export interface NodeCondition {
  readonly latest: number
  /**
   * Since the newest sealed block's timestamp; below zero while the clock is behind it. `undefined`: there is none but block 0,
   * whose timestamp says nothing of this node.
   */
  readonly tipAge: number | undefined
  /** Since the newest flashblock was announced. */
  readonly flashblockAge: number
  /** Sealed blocks that are not in the store yet. */
  readonly writerLag: number
  readonly hasFailed: boolean
  readonly isStopping: boolean
  /** Of a node whose records have to be elsewhere before they are announced: where, and for how long that has not worked. */
  readonly publishing?: { readonly target: string; readonly stalledFor: number } | undefined
  /** Of a replica. */
  readonly following?: FollowingCondition | undefined
  /** Of one of several nodes that may make the blocks. */
  readonly failover?: FailoverCondition | undefined
  /** Of an RPC worker. */
  readonly worker?: WorkerCondition | undefined
}

/** How far an RPC worker is behind the process that writes the chain. */
export interface WorkerCondition {
  readonly number: number
  /** Records that it has not applied, as far as it was told. */
  readonly lagRecords: number
  /** Milliseconds since the other process was heard of. */
  readonly silence: number
  /** RPC workers that answer, this one included, as far as it was told; and how many there should be. */
  readonly answering: number
  readonly of: number
}

export interface ReadinessLimits {
  readonly maxTipAge: number
  readonly maxFlashblockAge: number
  readonly maxWriterLag: number
}

/**
 * Limits that follow from a schedule: a few missed slots are no reason to send clients elsewhere, a whole missed block
 * is.
 */
export function readinessLimits(schedule: {
  readonly blockTime: number
  readonly interval: number
  readonly maxBlocksBehind: number
}): ReadinessLimits {
  const { blockTime, interval, maxBlocksBehind } = schedule
  return {
    // A timestamp is of whole seconds and that of the block's end.
    maxTipAge: 3 * blockTime + 1_000,
    maxFlashblockAge: Math.max(1_000, 5 * interval),
    maxWriterLag: maxBlocksBehind,
  }
}

/** Milliseconds between what an RPC worker hears at least. */
const PULSE = 1_000

/** Why requests should go to another node, in words; none: they may come here. */
export function notReady(condition: NodeCondition, limits: ReadinessLimits): readonly string[] {
  const { tipAge, flashblockAge, writerLag, hasFailed, isStopping, publishing, following, worker } = condition
  const reasons: string[] = []
  if (isStopping) reasons.push('the node is shutting down')
  if (hasFailed) reasons.push('the node has failed and cannot go on: see its log')
  if (worker !== undefined && worker.silence > limits.maxFlashblockAge + PULSE) {
    reasons.push(`nothing was heard of the process that writes the chain for ${Math.round(worker.silence)} ms`)
  }
  if (following !== undefined && following.silence > limits.maxFlashblockAge) {
    reasons.push(`nothing was heard of ${following.source} for ${Math.round(following.silence)} ms`)
  }
  if (publishing !== undefined && publishing.stalledFor > limits.maxFlashblockAge) {
    const waiting = `records wait for ${publishing.target}, ${Math.round(publishing.stalledFor)} ms so far`
    reasons.push(`${waiting}: nothing is announced until they are there`)
  }
  if (flashblockAge > limits.maxFlashblockAge) {
    reasons.push(`the newest flashblock is ${Math.round(flashblockAge)} ms old, more than ${limits.maxFlashblockAge}`)
  }
  if (tipAge === undefined) {
    reasons.push('no block is sealed yet')
  } else if (tipAge > limits.maxTipAge) {
    reasons.push(`the newest sealed block is ${Math.round(tipAge)} ms old, more than ${limits.maxTipAge}`)
  }
  if (writerLag >= limits.maxWriterLag) {
    reasons.push(`${writerLag} sealed blocks wait for the disk, and sealing waits for them`)
  }
  return reasons
}
