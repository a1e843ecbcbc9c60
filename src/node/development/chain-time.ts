import type { TimestampRefusal } from './timestamp-refusal.ts'

/** Chain time: the wall clock with an offset. Timestamps of blocks follow it and increase strictly. */
export interface ChainTime {
  /** When the newest block was sealed by the wall clock, in Unix milliseconds; before that, the start of the node. */
  readonly lastSealedMs: number
  /**
   * Moves chain time forward, from the newest block's timestamp if that is later.
   *
   * @returns seconds that it is ahead of the wall clock now, in total
   */
  increase(seconds: bigint): Promise<bigint | TimestampRefusal>
  /** Sets the timestamp of the next block; chain time continues from it. */
  setNextTimestamp(timestamp: bigint): Promise<TimestampRefusal | undefined>
  /**
   * Sets chain time, in Unix seconds, also back.
   *
   * @returns seconds from the former chain time; 0 if it is not ahead
   */
  set(timestamp: bigint): Promise<bigint | TimestampRefusal>
  /**
   * Sets the seconds between the timestamps of blocks; `undefined`: chain time determines them again.
   *
   * @returns the former interval, if there was one
   */
  setInterval(seconds: bigint | undefined): Promise<bigint | TimestampRefusal | undefined>
}
