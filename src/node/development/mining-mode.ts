/** Limits of a random interval between blocks, in milliseconds; equal for a fixed interval. */
export interface BlockInterval {
  readonly minMs: number
  readonly maxMs: number
}

/** Longest interval of a timer: 24.8 days. */
export const MAX_INTERVAL_MS = 0x7fff_ffff

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

/** Cause of the blocks of a development node. */
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

/** How two switches combine into a mode: each replaces the other (Anvil), or they are independent (Hardhat). */
export type Switching = 'exclusive' | 'independent'

/** The mode after automatic mining was switched on or off. */
export function withAutomine(mode: MiningMode, auto: boolean, switching: Switching): MiningMode {
  if (mode.kind === 'flashblocks') return auto ? AUTO : MANUAL
  if (switching === 'independent') return { ...mode, auto }
  if (auto) return AUTO
  return { ...mode, auto: false }
}

/** The mode after the interval was set; `undefined`: none. */
export function withInterval(mode: MiningMode, interval: BlockInterval | undefined, switching: Switching): MiningMode {
  if (switching === 'exclusive') return { kind: 'on-demand', auto: false, interval }
  if (mode.kind === 'on-demand') return { ...mode, interval }
  return interval === undefined ? mode : { kind: 'on-demand', auto: false, interval }
}
