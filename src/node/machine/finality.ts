import type { ChainConfig, DenimSchedule } from '../../chain/forks/chain-config.ts'
import { firstDenimBlock } from '../../chain/forks/denim-schedule.ts'

/** How far the finalized block lies behind the newest one. */
export interface Finality {
  /** Number of blocks. On a chain that schedules Denim: a duration, in units of 200 ms. */
  readonly depth: number
  /** Absent: all blocks take the same time. */
  readonly denim?: DenimSchedule | undefined
}

/** Denim blocks in the time of one block before Denim. */
const DENIM_BLOCKS_PER_BLOCK = 10

export function finalityOf(depth: number, { layer2 }: Pick<ChainConfig, 'layer2'>): Finality {
  return { depth, denim: layer2?.denim }
}

/** The newest block that is as old as the depth while `latest` is the newest; may be negative. */
export function newestFinal(latest: number, { depth, denim }: Finality): number {
  const first = denim === undefined ? 0 : Number(firstDenimBlock(denim))
  const belowFirst = depth - Math.max(0, latest - first)
  if (belowFirst <= 0 || denim === undefined) return latest - depth
  return Math.min(latest, first) - Math.ceil(belowFirst / DENIM_BLOCKS_PER_BLOCK)
}
