/** Position of a flashblock. */
export interface FlashblockPosition {
  /** Height of its block. */
  readonly number: number
  readonly index: number
  /** Identifies its block: a development node may replace an empty open block by one of the same height. */
  readonly payloadId?: string | undefined
}

/**
 * Action of a consumer for a message.
 *
 * - `next`, `first`: apply it; a `first` one applies to the previous block, or to nothing.
 * - `duplicate`: ignore it.
 * - `gap`, `invalid`: drop everything pending, then judge the message again as the first one: a message of index 0,
 * sent when the chain was unwound, is applied at once.
 * - `waiting`: ignore it until an index 0 arrives.
 */
export type OrderVerdict = 'next' | 'first' | 'duplicate' | 'gap' | 'invalid' | 'waiting'

/**
 * Compares a message with the newest applied one.
 *
 * @param latest `undefined`: nothing is pending
 * @example orderVerdict({ number: 7, index: 10 }, { number: 8, index: 0 }) // 'first'
 */
export function orderVerdict(latest: FlashblockPosition | undefined, incoming: FlashblockPosition): OrderVerdict {
  if (latest === undefined) return incoming.index === 0 ? 'first' : 'waiting'
  if (incoming.number === latest.number) {
    if (incoming.index === latest.index + 1 && incoming.payloadId === latest.payloadId) return 'next'
    return incoming.index === latest.index && incoming.payloadId === latest.payloadId ? 'duplicate' : 'gap'
  }
  return incoming.number === latest.number + 1 && incoming.index === 0 ? 'first' : 'invalid'
}
