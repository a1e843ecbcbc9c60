import type { DemoStock } from '../../chain/predeploys/demo-stocks.ts'
import type { MarketMode } from './market-modes.ts'

/** A multiplier that the market announces and schedules. Times are Unix seconds. */
export interface MarketAction {
  /** Id of the announcement; unique for the stock. */
  readonly id: string
  readonly kind: 'dividend' | 'split'
  /** The announcement is made from `announcedFrom` to `announcedUntil`. */
  readonly announcedFrom: number
  readonly announcedUntil: number
  readonly effectiveAt: number
  /** The feed is paused around `effectiveAt`. */
  readonly pausedFrom: number
  readonly pausedUntil: number
}

/** Shares of a cycle. */
const TIMES = {
  dividend: { announced: 0.1, effective: 0.3 },
  split: { announced: 0.5, effective: 0.7 },
  /** Between the end of the time of the announcement and the time at which it takes effect. */
  notice: 0.1,
  pause: 0.04,
}

/** The stocks that have corporate actions. */
const KINDS: Readonly<Record<string, MarketAction['kind']>> = { VIREOd: 'dividend', QLBKFd: 'split' }

/** The action of a stock in the cycle of a time; `undefined` for a stock without any. */
export function actionAt(time: number, symbol: string, mode: MarketMode): MarketAction | undefined {
  const kind = KINDS[symbol]
  if (kind === undefined) return undefined
  const { cycleSeconds } = mode
  const start = Math.floor(time / cycleSeconds) * cycleSeconds
  const at = (share: number) => start + Math.round(share * cycleSeconds)
  const { announced, effective } = TIMES[kind]
  return {
    id: `${kind} ${new Date(start * 1_000).toISOString()}`,
    kind,
    announcedFrom: at(announced),
    announcedUntil: at(effective - TIMES.notice),
    effectiveAt: at(effective),
    pausedFrom: at(effective - TIMES.pause),
    pausedUntil: at(effective + TIMES.pause),
  }
}

/** Dividends end when the multiplier has grown so far. */
const MAX_GROWTH = 1_000n

/**
 * The multiplier that an action brings, with 18 decimals; `undefined`: it does not take place. A dividend of 0.5 % is
 * paid as shares. A 2-for-1 split and the reverse split that undoes it alternate.
 *
 * @param before the present multiplier
 */
export function nextMultiplier(
  kind: MarketAction['kind'],
  before: bigint,
  { multiplier: initial }: Pick<DemoStock, 'multiplier'>,
): bigint | undefined {
  if (kind === 'dividend') return before > initial * MAX_GROWTH ? undefined : (before * 1_005n) / 1_000n
  return before > initial ? initial : before * 2n
}
