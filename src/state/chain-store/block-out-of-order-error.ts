/** A block that does not extend the chain, or a height to which it cannot unwind; the chain is unchanged. */
export class BlockOutOfOrderError extends Error {
  readonly code = 'BLOCK_OUT_OF_ORDER'
  override readonly name = 'BlockOutOfOrderError'
}
