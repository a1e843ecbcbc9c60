/** The state after this block was pruned; block, receipts and logs are retained. */
export class StatePrunedError extends Error {
  readonly code = 'STATE_PRUNED'
  override readonly name = 'StatePrunedError'
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

/** The block is not in this store: the chain was transferred from another node, from a later block on. */
export class BlockPrunedError extends Error {
  readonly code = 'BLOCK_PRUNED'
  override readonly name = 'BlockPrunedError'
  readonly number: number
  /** The oldest stored block above genesis. */
  readonly oldest: number

  constructor(number: number, oldest: number) {
    super(`block ${number} is not kept here: ask for block ${oldest} or later, or ask the node that this one follows`)
    this.number = number
    this.oldest = oldest
  }
}

/** A block that does not extend the chain, or a height to which it cannot unwind; the chain is unchanged. */
export class BlockOutOfOrderError extends Error {
  readonly code = 'BLOCK_OUT_OF_ORDER'
  override readonly name = 'BlockOutOfOrderError'
}
