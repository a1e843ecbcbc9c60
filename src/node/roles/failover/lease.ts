/**
 * A right that one of several nodes has for a short time (failover). It only decides who tries to make blocks: whether
 * somebody does, the shared log decides, which takes no record of a node that does not know its end.
 */
export interface Lease {
  /** Who has it, as far as was seen last; `undefined`: nobody. */
  readonly holder: string | undefined
  /**
   * Takes it where it is free, and keeps it where it is this node's.
   *
   * @param mayTake `false`: it is only looked at where it is not this node's
   * @returns whether it is this node's now; another node has it otherwise
   * @throws when that cannot be known
   */
  hold(mayTake: boolean): Promise<boolean>
  /** Gives it up at once rather than when its time is over; nothing where it is not this node's. */
  release(): Promise<void>
  close(): Promise<void>
}
