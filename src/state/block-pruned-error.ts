/** The block is not in this store: the chain was transferred from another node, from a later block on. */
export class BlockPrunedError extends Error {
  readonly code = 'HISTORY_PRUNED'
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
