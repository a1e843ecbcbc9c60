import type { Clock } from '../../node/core/clock.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { InclusionWaits } from '../scheduling/inclusion-waits.ts'
import type { ReadContext } from './reading.ts'

/** Context of a method that sends transactions or waits for their inclusion: the node beside the view. */
export interface SendContext extends ReadContext {
  readonly node: ServedNode
  readonly clock: Clock
  readonly inclusionWaits: InclusionWaits
  /** See `RpcClient`. */
  readonly hasOutsideAccess: boolean
  /** The same request on the newest view, which a caller that awaits has to retain. */
  renewed(): SendContext
}
