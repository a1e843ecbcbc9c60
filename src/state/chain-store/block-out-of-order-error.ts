/** A block that does not continue the chain, or a height that it cannot go back to; the chain is as it was. */
export class BlockOutOfOrderError extends Error {
  readonly code = 'BLOCK_OUT_OF_ORDER'
  override readonly name = 'BlockOutOfOrderError'
}
