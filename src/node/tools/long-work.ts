/** How far a long piece of work is. */
export interface Progress {
  readonly task: 'export' | 'import' | 'blocks' | 'tables'
  /** Blocks done, or the table being compared. */
  readonly at: number | string
  /** Where it ends, if that is known. */
  readonly of?: number
}

/**
 * Called again and again by whoever works for long: to show progress and let others have their turn. What it throws ends
 * the work; what was being built is given back.
 */
export type Step = (progress: Progress) => Promise<void>
