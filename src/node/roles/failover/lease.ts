/**
 * A right that one of several nodes has for a short time. It only decides which node tries to lead: whether it succeeds
 * is decided by the replicated log, which rejects records of a node that does not know its end.
 */
export interface Lease {
  /** Name of the holder as of the last look; `undefined`: none. */
  readonly holder: string | undefined
  /**
   * Acquires the lease if it is free, and renews it if this node has it.
   *
   * @param mayTake `false`: only looks unless this node has it
   * @returns whether this node has it now; otherwise another node has it
   * @throws when the holder is unknown
   */
  hold(mayTake: boolean): Promise<boolean>
  /** Releases the lease if this node has it, so that a standby can acquire it immediately. */
  release(): Promise<void>
  close(): Promise<void>
}
