import type { SubscriptionScope } from './subscriptions/subscription-set.ts'
import type { Waits } from './waits.ts'

/** What a request has of the connection that it came by. */
export interface ConnectionScope {
  readonly subscriptions: SubscriptionScope
  readonly waits: Waits
  /** Nobody reads the answer any more: what is left of a batch need not be worked on. */
  isClosed(): boolean
}
