import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import { MARKET_SESSIONS } from '../../primitives/stocks/market-session.ts'
import { DOUBLE_SCHEMA, type Schema } from '../http/schema.ts'
import type { ListedToken } from './listing.ts'
import type { TokenDetails } from './token-details.ts'
import {
  EXAMPLE_TOKEN_RECORD,
  exactAmount,
  PROBLEM_SCHEMA,
  problemRecord,
  TOKEN_RECORD_SCHEMA,
  tokenRecord,
} from './token-record.ts'

/**
 * The record of one token: that of the list and its details.
 *
 * @param timestamp of the block, Unix seconds
 * @param isExact adds the exact amounts
 */
export function stockRecordOf(token: ListedToken, details: TokenDetails, timestamp: bigint, isExact: boolean) {
  const { supplyCap, currency, isPriceStale, session } = details
  const problems = [token.reading.problem, details.problem].filter((problem) => problem !== undefined)
  return {
    ...tokenRecord(token, timestamp, isExact),
    ...(supplyCap !== undefined && amount('supply_cap', supplyCap, token.reading.decimals, isExact)),
    ...(currency !== '' && { currency }),
    ...(isPriceStale !== undefined && { nav_price_is_stale: isPriceStale }),
    ...(session !== undefined && { market_session: session }),
    ...(problems.length > 0 && { problems: problems.map(problemRecord) }),
  }
}

/** The member with the nearest double and, with `isExact`, the one with all digits. */
function amount(name: string, value: bigint, decimals: number, isExact: boolean) {
  return {
    [name]: nearestDouble(value, decimals),
    ...(isExact && { [`${name}_exact`]: formatDecimal(value, decimals) }),
  }
}

export const STOCK_RECORD_SCHEMA: Schema = {
  type: 'object',
  properties: {
    ...TOKEN_RECORD_SCHEMA.properties,
    supply_cap: { ...DOUBLE_SCHEMA, description: 'token units that the supply cannot exceed; absent without a cap' },
    supply_cap_exact: exactAmount('supply_cap'),
    currency: {
      type: 'string',
      description: 'currency() of the token, otherwise the quote currency of its feed; absent when unknown',
    },
    nav_price_is_stale: {
      type: 'boolean',
      description:
        'whether the price is older than the heartbeat of its feed (`nav_heartbeat_seconds` of the registry, one day by default); absent without a price',
    },
    market_session: {
      type: 'string',
      enum: MARKET_SESSIONS,
      description:
        'session of the US exchanges at the time of the block, by the hours in New York from Sunday 20:00 to Friday 20:00; holidays are not known. For the demonstration stocks that of their market, once it is set. While it is `closed`, feeds hold the last price: it may be older than their heartbeat. Absent without a price',
    },
    problems: {
      type: 'array',
      items: PROBLEM_SCHEMA,
      description: 'What could not be read, and values that contradict each other; absent if there are none.',
    },
  },
  required: TOKEN_RECORD_SCHEMA.required,
  additionalProperties: false,
}

/** Example for the documentation. */
export const EXAMPLE_STOCK_RECORD = {
  ...EXAMPLE_TOKEN_RECORD,
  supply_cap: 1_500_000,
  currency: 'USD',
  nav_price_is_stale: false,
  market_session: 'regular',
}
