/** Progress of long work. */
export interface Progress {
  readonly task: 'export' | 'import' | 'blocks' | 'tables' | 'records'
  /** Blocks or records done, or the table being compared. */
  readonly at: number | string
  /** The end, if it is known. */
  readonly of?: number
}

/**
 * Called repeatedly by long work, to show progress and to yield to the event loop. An error of it aborts
 * the work, which releases its resources.
 */
export type Step = (progress: Progress) => Promise<void>
