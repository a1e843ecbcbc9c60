import type { DemoStock } from '../../chain/predeploys/demo-stocks.ts'
import type { Address } from '../../primitives/hex.ts'
import { type MarketSession, marketSession } from '../../primitives/stocks/market-session.ts'
import { actionAt, type MarketAction, nextMultiplier } from './market-action.ts'
import type { MarketMode } from './market-modes.ts'
import { sharePrice } from './share-price.ts'

/** A demonstration stock and its feed as of a block. Prices have 8 decimals, multipliers 18. */
export interface TradedStock {
  readonly stock: DemoStock
  /** The contract: on chains with native tokens it has another address than `stock`. */
  readonly token: Address
  readonly feed: Address
  readonly multiplier: bigint
  /** Time of the newest schedule of a multiplier, past or not; `undefined`: the token cannot schedule any. */
  readonly effectiveAt: bigint | undefined
  /** Whether the announcement of the action of this cycle was made. */
  readonly isAnnounced: boolean
  readonly isOraclePaused: boolean
  readonly equityPrice: bigint
  readonly answer: bigint
  /** Unix seconds. */
  readonly updatedAt: bigint
}

/** The market as of a block. */
export interface MarketState {
  /** Time of the block, Unix seconds. */
  readonly time: number
  /** `undefined`: not set. */
  readonly session: MarketSession | undefined
  readonly stocks: readonly TradedStock[]
}

export interface MarketPlan {
  readonly mode: MarketMode
  /** Chains with equal seeds have equal prices at equal times. */
  readonly seed: string
}

/** A change that the owner of the market sends as a transaction. */
export type MarketCall =
  | { readonly kind: 'session'; readonly session: MarketSession }
  | { readonly kind: 'price'; readonly feed: Address; readonly equityPrice: bigint }
  | { readonly kind: 'pause'; readonly token: Address; readonly isPaused: boolean }
  | {
      readonly kind: 'announcement'
      readonly token: Address
      readonly id: string
      readonly description: string
      readonly multiplier: bigint
      readonly effectiveAt: bigint
    }

/** Chainlink's equity feeds: an update at a deviation of 0.5 %, and in market hours once a day without one. */
const DEVIATION_PER_MILLE = 5n
const HEARTBEAT_SECONDS = 86_400n
/** 1, in the units of multipliers. */
const WAD = 10n ** 18n
/** Shares of a cycle in which trading is halted. */
const HALT = { from: 0.9, until: 0.95 }

/**
 * The calls that bring the market from its state to where it should be at the time of the state; none: it is there.
 * They depend on the arguments only, so that a restart and another leader decide alike.
 */
export function nextCalls(state: MarketState, plan: MarketPlan): readonly MarketCall[] {
  const session = sessionAt(state.time, plan.mode)
  const change: readonly MarketCall[] = session === state.session ? [] : [{ kind: 'session', session }]
  return [...change, ...state.stocks.flatMap((traded) => callsOf(traded, { ...plan, time: state.time, session }))]
}

interface Moment extends MarketPlan {
  readonly time: number
  /** The session after the calls. */
  readonly session: MarketSession
}

function sessionAt(time: number, { hasHalts, cycleSeconds }: MarketMode): MarketSession {
  const share = (time % cycleSeconds) / cycleSeconds
  return hasHalts && share >= HALT.from && share < HALT.until ? 'closed' : marketSession(BigInt(time))
}

function callsOf(traded: TradedStock, moment: Moment): readonly MarketCall[] {
  const { token, isOraclePaused, stock } = traded
  const action = actionAt(moment.time, stock.symbol, moment.mode)
  if (action !== undefined && isPausedFor(action, traded, moment)) {
    return isOraclePaused ? [] : [{ kind: 'pause', token, isPaused: true }]
  }
  if (moment.session === 'closed') return []
  const announcement = action === undefined ? [] : announcementOf(action, traded, moment)
  const price = priceAt(traded, moment)
  if (!isOraclePaused) return [...announcement, ...(isPriceDue(traded, price, moment) ? priceCall(traded, price) : [])]
  // A stock without actions of its own was paused by an operator, who resumes it.
  if (action === undefined) return []
  // The price follows at once: the feed must not resume with one that does not contain the action.
  return [...announcement, { kind: 'pause', token, isPaused: false }, ...priceCall(traded, price)]
}

/** Whether the action was scheduled, and its time is near. */
function isPausedFor({ effectiveAt, pausedFrom, pausedUntil }: MarketAction, traded: TradedStock, { time }: Moment) {
  return traded.effectiveAt === BigInt(effectiveAt) && time >= pausedFrom && time < pausedUntil
}

function announcementOf(action: MarketAction, traded: TradedStock, { time }: Moment): readonly MarketCall[] {
  const { announcedFrom, announcedUntil, kind, id } = action
  const { token, stock, multiplier, isAnnounced } = traded
  if (isAnnounced || time < announcedFrom || time >= announcedUntil) return []
  // A token takes one schedule at a time.
  if (traded.effectiveAt === undefined || traded.effectiveAt > BigInt(time)) return []
  const next = nextMultiplier(kind, multiplier, stock)
  if (next === undefined) return []
  const effectiveAt = BigInt(action.effectiveAt)
  const description = `${stock.symbol}: ${textOf(kind, next > multiplier)}`
  return [{ kind: 'announcement', token, id, description, multiplier: next, effectiveAt }]
}

function textOf(kind: MarketAction['kind'], isUp: boolean): string {
  if (kind === 'dividend') return 'a dividend of 0.5 %, paid as shares'
  return isUp ? 'a 2-for-1 split' : 'a 1-for-2 reverse split'
}

function isPriceDue(traded: TradedStock, price: bigint, moment: Moment): boolean {
  const { multiplier, equityPrice, answer, updatedAt } = traded
  if (deviates(price, equityPrice) || deviates((price * multiplier) / WAD, answer)) return true
  // Overnight, feeds have no heartbeat.
  return moment.session !== 'overnight' && BigInt(moment.time) >= updatedAt + HEARTBEAT_SECONDS
}

function deviates(price: bigint, before: bigint): boolean {
  const difference = price > before ? price - before : before - price
  return difference * 1_000n >= before * DEVIATION_PER_MILLE
}

/** A feed takes positive prices only; a share of a stock that was split too often costs nothing. */
function priceCall({ multiplier, feed }: TradedStock, equityPrice: bigint): readonly MarketCall[] {
  return (equityPrice * multiplier) / WAD <= 0n ? [] : [{ kind: 'price', feed, equityPrice }]
}

/**
 * The price moves around an anchor. Splits keep the price of a token, so that of a share is divided. A dividend keeps
 * the price of a share, so that of a token grows.
 */
function priceAt({ stock, multiplier }: TradedStock, { seed, time, mode }: Moment): bigint {
  const isDividendStock = actionAt(time, stock.symbol, mode)?.kind === 'dividend'
  const anchor = (stock.priceFeed.answer * WAD) / (isDividendStock ? stock.multiplier : multiplier)
  return sharePrice(anchor, `${seed}/${stock.symbol}`, time, mode)
}
