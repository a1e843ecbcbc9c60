import type { MethodSet } from './method-set.ts'
import type { SubscriptionScope } from './subscriptions/subscription-set.ts'
import type { Waits } from './waits.ts'

/** What a request has of the connection that it came by. */
export interface ConnectionScope {
  /** What its transport has. */
  readonly methods: MethodSet
  readonly subscriptions: SubscriptionScope
  readonly waits: Waits
}
