/** The state after this block was pruned; block, receipts and logs are retained. */
export class HistoryPrunedError extends Error {
  readonly code = 'HISTORY_PRUNED'
  override readonly name = 'HistoryPrunedError'
  readonly number: number
  /** The oldest block whose state is retained. */
  readonly oldest: number

  constructor(number: number, oldest: number) {
    super(
      `the state after block ${number} was pruned: ask for block ${oldest} or later, or run with a longer --history`,
    )
    this.number = number
    this.oldest = oldest
  }
}
