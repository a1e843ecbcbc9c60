import type { Address, Hash } from '../primitives/hex.ts'
import type { Layer } from '../state/layer.ts'

/** Filter of a subscriber. */
export interface FeedFilter {
  /** Matches any of these; empty: no criterion. */
  readonly addresses: ReadonlySet<Address>
  /** Matches any of these at any position of a log; empty: no criterion. */
  readonly topics: ReadonlySet<Hash>
  /** If both are given: whether one match is enough. */
  readonly match: 'any' | 'all'
}

/** Addresses and topics of a flashblock. */
export interface Mentions {
  readonly addresses: ReadonlySet<Address>
  readonly topics: ReadonlySet<Hash>
}

/**
 * Accounts that a flashblock changed, called or created, and the emitters and topics of its logs.
 * flashblocks-websocket-proxy takes the same from the metadata of older messages, which newer messages lack.
 */
export function mentionsOf({ transactions, receipts, diff }: Layer): Mentions {
  const logs = receipts.flatMap((receipt) => receipt.logs)
  const called = transactions.flatMap(({ to }) => (to === null ? [] : [to]))
  return {
    addresses: new Set([...diff.accounts.keys(), ...called, ...logs.map(({ address }) => address)]),
    topics: new Set(logs.flatMap(({ topics }) => topics)),
  }
}

/** Whether a flashblock with these mentions matches. The cost is that of the filter, not of the flashblock. */
export function isWanted({ addresses, topics, match }: FeedFilter, mentions: Mentions): boolean {
  const hasAddress = intersects(addresses, mentions.addresses)
  if (topics.size === 0) return hasAddress || addresses.size === 0
  const hasTopic = intersects(topics, mentions.topics)
  if (addresses.size === 0) return hasTopic
  return match === 'all' ? hasAddress && hasTopic : hasAddress || hasTopic
}

function intersects<T>(wanted: ReadonlySet<T>, there: ReadonlySet<T>): boolean {
  for (const one of wanted) if (there.has(one)) return true
  return false
}
