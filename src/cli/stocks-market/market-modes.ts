import type { StocksMarketMode } from '../../flags/development-flags.ts'

/** How the prices of a market move, and how often something happens in it. */
export interface MarketMode {
  /** Seconds in which each stock with corporate actions has one, and with `hasHalts` trading is halted once. */
  readonly cycleSeconds: number
  /** The price of a share deviates from its anchor by the sum of these waves; an amplitude is a share of the price. */
  readonly waves: readonly { readonly periodSeconds: number; readonly amplitude: number }[]
  readonly hasHalts: boolean
}

const HOUR = 3_600

export const MARKET_MODES: Readonly<Record<StocksMarketMode, MarketMode>> = {
  calm: {
    cycleSeconds: 24 * HOUR,
    waves: [
      { periodSeconds: 4 * HOUR, amplitude: 0.01 },
      { periodSeconds: HOUR / 2, amplitude: 0.004 },
    ],
    hasHalts: false,
  },
  'trading-day': {
    cycleSeconds: HOUR,
    waves: [
      { periodSeconds: HOUR, amplitude: 0.04 },
      { periodSeconds: 60, amplitude: 0.015 },
    ],
    hasHalts: false,
  },
  stress: {
    cycleSeconds: HOUR / 6,
    waves: [
      { periodSeconds: HOUR / 6, amplitude: 0.25 },
      { periodSeconds: 20, amplitude: 0.06 },
    ],
    hasHalts: true,
  },
}
