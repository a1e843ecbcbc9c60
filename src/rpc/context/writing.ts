import type { FilterContext } from './filtering.ts'
import type { SendContext } from './sending.ts'

/** Context of a method that writes. */
export interface WriteContext extends SendContext, FilterContext {
  renewed(): WriteContext
}
