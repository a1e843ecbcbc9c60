/** This block was never here: the chain was taken over from another node at a later one. */
export class BlockPrunedError extends Error {
  readonly code = 'HISTORY_PRUNED'
  override readonly name = 'BlockPrunedError'
  readonly number: number
  /** The oldest block above genesis that is here. */
  readonly oldest: number

  constructor(number: number, oldest: number) {
    super(`block ${number} is not kept here: ask for block ${oldest} or later, or ask the node that this one follows`)
    this.number = number
    this.oldest = oldest
  }
}
