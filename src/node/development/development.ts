import type { ChainTime } from './chain-time.ts'
import type { Mining } from './mining.ts'
import type { MiningMode } from './mining-mode.ts'

/**
 * Operations beyond those of a production node: mining on request, chain time, changes from outside. Each runs between
 * two flashblocks, one at a time, and resolves when its records are durable and the new head is shown.
 */
export interface Development {
  readonly mining: Mining
  readonly time: ChainTime
}

/** Settings of a development node. */
export interface DevelopmentSettings {
  /** Mode at the start. */
  readonly mining: MiningMode
  /** Chain time at the start of a new chain, in Unix seconds. Default: the wall clock. */
  readonly timestamp?: bigint | undefined
}
