/** The state after this block is not kept any more; blocks, receipts and logs are. */
export class HistoryPrunedError extends Error {
  readonly code = 'HISTORY_PRUNED'
  override readonly name = 'HistoryPrunedError'
  readonly number: number
  /** The oldest block whose state is kept. */
  readonly oldest: number

  constructor(number: number, oldest: number) {
    super(
      `the state after block ${number} was pruned: ask for block ${oldest} or later, or run with a longer --history`,
    )
    this.number = number
    this.oldest = oldest
  }
}
