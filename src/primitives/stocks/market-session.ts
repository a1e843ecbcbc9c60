/** Trading sessions of US equities, in which a price feed that runs 24 hours on 5 days gets prices. */
export const MARKET_SESSIONS = ['pre-market', 'regular', 'post-market', 'overnight', 'closed'] as const
export type MarketSession = (typeof MARKET_SESSIONS)[number]

/** The number of a session in contracts (contracts/stock/StockMarket.sol), where 0 means that none is set. */
export function sessionNumber(session: MarketSession): number {
  return MARKET_SESSIONS.indexOf(session) + 1
}

/** The session with this number; `undefined` for 0 and unknown ones. */
export function sessionOfNumber(number: bigint): MarketSession | undefined {
  return MARKET_SESSIONS[Number(number) - 1]
}

/** Minutes of the day in New York at which sessions begin. */
const PRE_MARKET = 4 * 60
const REGULAR = 9 * 60 + 30
const POST_MARKET = 16 * 60
const OVERNIGHT = 20 * 60

const NEW_YORK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  weekday: 'short',
  hour: 'numeric',
  minute: 'numeric',
  hourCycle: 'h23',
})

/**
 * The session at a time by the week of the exchanges in New York: from Sunday 20:00 to Friday 20:00 the market is open
 * in one of four sessions, and closed in between. Holidays, which each exchange announces, are not known here.
 *
 * @param seconds Unix time, at most that of the year 9999
 * @example marketSession(1_767_623_400n) // 'regular': Monday 2026-01-05, 9:30 in New York
 */
export function marketSession(seconds: bigint): MarketSession {
  const parts = NEW_YORK.formatToParts(new Date(Number(seconds) * 1_000))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((candidate) => candidate.type === type)!.value
  const day = part('weekday')
  const minute = Number(part('hour')) * 60 + Number(part('minute'))
  if (day === 'Sat' || (day === 'Sun' && minute < OVERNIGHT) || (day === 'Fri' && minute >= OVERNIGHT)) return 'closed'
  if (minute < PRE_MARKET || minute >= OVERNIGHT) return 'overnight'
  if (minute < REGULAR) return 'pre-market'
  return minute < POST_MARKET ? 'regular' : 'post-market'
}
