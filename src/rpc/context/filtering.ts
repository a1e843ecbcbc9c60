import type { FilterSet } from '../filters/filter-set.ts'
import type { RpcClient } from '../protocol/rpc-client.ts'
import type { SubscriptionScope } from '../subscriptions/subscription-set.ts'
import type { ReadContext } from './reading.ts'

/** Context of a method about filters and subscriptions. */
export interface FilterContext extends ReadContext {
  readonly filters: FilterSet
  /** Address of the client, by which filters are counted. */
  readonly client: string
  /** See `RpcClient.onPolled`. */
  readonly onPolled?: RpcClient['onPolled'] | undefined
  /** Absent over HTTP. */
  readonly subscriptions: SubscriptionScope | undefined
}
