/** Limits of a random interval between blocks, in milliseconds; equal for a fixed interval. */
export interface BlockInterval {
  readonly minMs: number
  readonly maxMs: number
}

/** Blocks on the schedule of flashblocks, whether or not there are transactions. */
export interface FlashblocksMode {
  readonly kind: 'flashblocks'
}

/** Blocks on request; besides with every transaction (`auto`), at an interval, or both. */
export interface OnDemandMode {
  readonly kind: 'on-demand'
  /** A block is built and sealed for each transaction before it is answered. */
  readonly auto: boolean
  readonly interval: BlockInterval | undefined
}

/** What makes a development node build blocks. */
export type MiningMode = FlashblocksMode | OnDemandMode

export const FLASHBLOCKS: FlashblocksMode = { kind: 'flashblocks' }
/** A block for each transaction. */
export const AUTO: OnDemandMode = { kind: 'on-demand', auto: true, interval: undefined }
/** Blocks on request only. */
export const MANUAL: OnDemandMode = { kind: 'on-demand', auto: false, interval: undefined }

/** Blocks at a fixed interval. */
export function intervalMode(ms: number): OnDemandMode {
  return { kind: 'on-demand', auto: false, interval: { minMs: ms, maxMs: ms } }
}
