import type { PeerIdentity } from './peers.ts'

/**
 * A time-limited right of one of several nodes. It only decides which node tries to lead. The replicated log decides
 * whether it succeeds: it rejects records of a node that does not know the log's end.
 */
export interface Lease {
  /** Name of the holder as of the last poll; `undefined`: none. */
  readonly holder: string | undefined
  /**
   * Milliseconds by which the clock of this system is ahead of the servers that keep the lease, as of the last
   * comparison, negative if it is behind; `undefined`: unknown.
   */
  readonly clockOffsetMs?: number | undefined
  /**
   * Acquires the lease if it is free, and renews it if this node holds it.
   *
   * @param mayTake `false`: renews but does not acquire
   * @returns whether this node holds the lease now; otherwise another node holds it
   * @throws when the holder is unknown
   */
  hold(mayTake: boolean): Promise<boolean>
  /** Releases the lease if this node holds it, so that a standby can acquire it immediately. */
  release(): Promise<void>
  /**
   * Passes the lease to another node if this node holds it: only that one can acquire it before it expires.
   *
   * @returns whether it was passed
   * @throws when the holder is unknown
   */
  pass(to: PeerIdentity): Promise<boolean>
  /** Takes a passed lease back, unless the other node has acquired it. @returns whether this node holds the lease */
  takeBack(): Promise<boolean>
  close(): Promise<void>
}
