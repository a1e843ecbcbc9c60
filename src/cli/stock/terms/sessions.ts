import { MARKET_SESSIONS } from '../../../primitives/stocks/market-session.ts'
import { StockError } from './stock-error.ts'

/** Sessions of StockMarket, by ordinal. */
export const SESSIONS: readonly string[] = ['unknown', ...MARKET_SESSIONS]

/** @example sessionName(2n) // 'regular' */
export function sessionName(ordinal: bigint): string {
  return SESSIONS[Number(ordinal)] ?? String(ordinal)
}

/** @throws StockError `INVALID_INPUT` */
export function parseSession(text: string): bigint {
  const ordinal = SESSIONS.indexOf(text)
  if (ordinal >= 0) return BigInt(ordinal)
  throw new StockError('INVALID_INPUT', `there is no session ${text}: choose from ${SESSIONS.join(', ')}`)
}
