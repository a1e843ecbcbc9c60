/** Which flashblock of which block. */
export interface FlashblockPosition {
  /** Height of its block. */
  readonly number: number
  readonly index: number
}

/**
 * What a consumer does with a message.
 *
 * - `next`, `first`: apply it, the latter on top of the block before, or of nothing.
 * - `duplicate`: ignore it.
 * - `gap`, `invalid`: drop everything pending. Then look at the message again as if it were the first one ever: one of
 *   index 0, which comes when a chain was unwound, begins anew at once.
 * - `waiting`: ignore it, nothing can be done before an index 0.
 */
export type OrderVerdict = 'next' | 'first' | 'duplicate' | 'gap' | 'invalid' | 'waiting'

/**
 * Judges where a message stands after the newest one that was applied.
 *
 * @param latest `undefined`: nothing is pending
 * @example orderVerdict({ number: 7, index: 10 }, { number: 8, index: 0 }) // 'first'
 */
export function orderVerdict(latest: FlashblockPosition | undefined, incoming: FlashblockPosition): OrderVerdict {
  if (latest === undefined) return incoming.index === 0 ? 'first' : 'waiting'
  if (incoming.number === latest.number) {
    if (incoming.index === latest.index + 1) return 'next'
    return incoming.index === latest.index ? 'duplicate' : 'gap'
  }
  return incoming.number === latest.number + 1 && incoming.index === 0 ? 'first' : 'invalid'
}
