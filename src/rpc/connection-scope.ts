import type { MethodSet } from './registry/method-set.ts'
import type { Waits } from './scheduling/inclusion-waits.ts'
import type { SubscriptionScope } from './subscriptions/subscription-set.ts'

/** What a request has of the connection that it came by. */
export interface ConnectionScope {
  /** What its transport has. */
  readonly methods: MethodSet
  readonly subscriptions: SubscriptionScope
  readonly waits: Waits
}
