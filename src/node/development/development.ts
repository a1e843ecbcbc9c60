import type { Mining } from './mining.ts'
import type { FlashblocksMode } from './mining-mode.ts'

/**
 * Operations beyond those of a production node: mining on request, chain time, changes from outside. Each runs between
 * two blocks, one at a time, and resolves when its records are durable and the new head is shown.
 */
export interface Development {
  readonly mining: Mining
}

/** Settings of a development node. */
export interface DevelopmentSettings {
  /** Mode at the start. */
  readonly mining: FlashblocksMode
}
