/** The records of a sealed block. */
export interface SealedRange {
  readonly number: number
  /** The block's first flashblock record. */
  readonly firstSequence: number
}

export interface RetentionInput {
  /** Oldest first. */
  readonly sealed: readonly SealedRange[]
  /** The newest block in the store. */
  readonly stored: number
  /** Blocks whose records are kept: replicas catch up with them, and their partial hashes stay known. */
  readonly replayBlocks: number
  /** The newest record that lists everything waiting in the pool. */
  readonly poolCheckpoint: number
}

/**
 * The first record that is still needed: of a block that the store lacks, of the replay window, or of a waiting
 * transaction. Everything before it may go.
 */
export function firstNeededRecord(input: RetentionInput): number {
  const { sealed, stored, replayBlocks, poolCheckpoint } = input
  const newest = sealed.at(-1)
  if (newest === undefined) return 0
  const oldestRetained = Math.min(stored + 1, newest.number - replayBlocks + 1)
  const first = sealed.find(({ number }) => number >= oldestRetained)
  return Math.min(first?.firstSequence ?? newest.firstSequence, poolCheckpoint)
}
