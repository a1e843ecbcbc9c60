/** The records of a sealed block. */
export interface SealedRange {
  readonly number: number
  /** The record with which the block begins: its first flashblock, or a change before it (`BlockBeginnings`). */
  readonly firstSequence: number
}

export interface RetentionInput {
  /** Oldest first. */
  readonly sealed: readonly SealedRange[]
  /** The newest stored block. */
  readonly stored: number
  /** Blocks whose records are retained, so that replicas can catch up and partial hashes stay known. */
  readonly replayBlocks: number
  /** The newest record that lists the whole pool. */
  readonly poolCheckpoint: number
}

/**
 * The first record that is still needed: of a block that is not stored, of the replay window, or of a pooled
 * transaction. Earlier records may be deleted.
 */
export function firstNeededRecord(input: RetentionInput): number {
  const { sealed, stored, replayBlocks, poolCheckpoint } = input
  const newest = sealed.at(-1)
  if (newest === undefined) return 0
  const oldestRetained = Math.min(stored + 1, newest.number - replayBlocks + 1)
  const first = sealed.find(({ number }) => number >= oldestRetained)
  return Math.min(first?.firstSequence ?? newest.firstSequence, poolCheckpoint)
}
