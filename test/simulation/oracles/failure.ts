/** Names of the promises that the simulation checks. */
export type Oracle =
  /** An acknowledged transaction is included, waits in the pool, or was reported as dropped or replaced. */
  | 'acknowledged'
  /** A transaction of an announced flashblock stays in its block at its index. */
  | 'preconfirmed'
  /** All nodes have the same bytes for a record. */
  | 'records'
  /** A sealed block never changes. */
  | 'sealed'
  /** A node opens on every disk that a crash leaves. */
  | 'opens'
  /** A node that no fault of its machine stops does not fail. */
  | 'runs'
  /** Responses of one connection never go back. */
  | 'monotonic'
  /** A transaction that a node reported as dropped is in no later flashblock. */
  | 'dropped'
  /** Each subscriber receives each item once, in order, unless it is disconnected. */
  | 'subscriptions'
  /** A filter reports each change once. */
  | 'filters'
  /** Bytes that wait for a client that does not read stay within the limit. */
  | 'queues'
  /** `tickertape verify` finds no difference on a disk. */
  | 'verifies'
  /** Only the leader of the newest epoch publishes. */
  | 'fenced'
  /** After the last fault blocks go on, and all nodes catch up. */
  | 'liveness'

/** A broken promise, with the effect after which it was noticed. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure'
  readonly oracle: Oracle

  constructor(oracle: Oracle, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.oracle = oracle
  }
}
