import type { MiningMode } from './mining-mode.ts'

/** When blocks are built, and by what attributes. */
export interface Mining {
  readonly mode: MiningMode
}
