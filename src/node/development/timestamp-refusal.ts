/** Why a timestamp cannot be that of the next block. */
export type TimestampRefusal =
  | { readonly code: 'TIMESTAMP_TOO_LOW'; readonly timestamp: bigint; readonly parent: bigint }
  | { readonly code: 'TIMESTAMP_TOO_HIGH'; readonly timestamp: bigint; readonly limit: bigint }
  /** The time of a Denim block follows from its number. */
  | { readonly code: 'TIME_IS_SCHEDULED' }

export const TIME_IS_SCHEDULED: TimestampRefusal = { code: 'TIME_IS_SCHEDULED' }

/**
 * The latest time that can be chosen: about the year 255000. Blocks after it continue from it, and a JavaScript `Date`
 * ends in the year 275760.
 */
export const MAX_TIMESTAMP = 8_000_000_000_000n

/** @param parent timestamp of the parent, which must be lower */
export function timestampRefusal(timestamp: bigint, parent: bigint): TimestampRefusal | undefined {
  if (timestamp > MAX_TIMESTAMP) return { code: 'TIMESTAMP_TOO_HIGH', timestamp, limit: MAX_TIMESTAMP }
  return timestamp > parent ? undefined : { code: 'TIMESTAMP_TOO_LOW', timestamp, parent }
}
