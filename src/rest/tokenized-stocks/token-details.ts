import { DEMO_STOCK_FEEDS, STOCK_MARKET_ADDRESS } from '../../chain/predeploys/demo-stocks.ts'
import { type MarketSession, marketSession, sessionOfNumber } from '../../primitives/stocks/market-session.ts'
import { decodeString, wordAt } from './abi.ts'
import type { BlockReads } from './chain-source.ts'
import { readFunctions } from './function-reads.ts'
import { feedOf, type ListedToken } from './listing.ts'
import { functionRead, LAST_SECOND, MAX_TEXT_BYTES, outputOf, type ReadProblem, refusalIn } from './token-reads.ts'

/** Values of a token that only its own record has. */
export interface TokenDetails {
  /** Base units; `undefined`: no cap. */
  readonly supplyCap: bigint | undefined
  /** Currency of the price, such as `USD`; empty if unknown. */
  readonly currency: string
  /** `undefined` without a price. */
  readonly isPriceStale: boolean | undefined
  /**
   * The session of the exchanges: that of the market of the demonstration stocks for one of them, otherwise by the time
   * of the block. `undefined` without a price.
   */
  readonly session: MarketSession | undefined
  readonly problem: ReadProblem | undefined
}

/** Chainlink updates its equity feeds at least once a day while markets are open. */
const DEFAULT_HEARTBEAT_SECONDS = 86_400
/** B20: the largest cap means that there is none. */
const NO_CAP = 2n ** 128n - 1n

const TOKEN_READS = [functionRead('supplyCap()'), functionRead('currency()')]
const FEED_READS = [functionRead('description()')]
const SESSION_READ = { to: STOCK_MARKET_ADDRESS, ...functionRead('session()') }
/** Feeds that take no prices while the market of the demonstration stocks is closed. */
const MARKET_FEEDS = new Set(DEMO_STOCK_FEEDS.values())

/** @param timestamp of the block of the reads, Unix seconds */
export async function readDetails(reads: BlockReads, token: ListedToken, timestamp: bigint): Promise<TokenDetails> {
  const { address, registered, reading } = token
  const feed = feedOf(address, registered)
  const results = await readFunctions(reads, [
    ...TOKEN_READS.map((named) => ({ to: address, ...named })),
    ...(feed === undefined ? [] : FEED_READS.map((named) => ({ to: feed, ...named }))),
    ...(feed !== undefined && MARKET_FEEDS.has(feed) ? [SESSION_READ] : []),
  ])
  const [cap, currency, description, sessionWord] = results.map(outputOf)
  const heartbeat = BigInt(registered?.navHeartbeatSeconds ?? DEFAULT_HEARTBEAT_SECONDS)
  return {
    supplyCap: capOf(wordAt(cap, 0)),
    currency: decodeString(currency, MAX_TEXT_BYTES) || quoteOf(decodeString(description, MAX_TEXT_BYTES)),
    isPriceStale: reading.nav === undefined ? undefined : timestamp > reading.nav.updatedAt + heartbeat,
    session: reading.nav === undefined ? undefined : sessionOf(wordAt(sessionWord, 0), timestamp),
    problem: refusalIn(...results),
  }
}

function sessionOf(word: bigint | undefined, timestamp: bigint): MarketSession | undefined {
  const session = word === undefined ? undefined : sessionOfNumber(word)
  return session ?? (timestamp > LAST_SECOND ? undefined : marketSession(timestamp))
}

function capOf(cap: bigint | undefined): bigint | undefined {
  return cap === undefined || cap >= NO_CAP ? undefined : cap
}

/** @param description of a Chainlink feed, as in `AAPL / USD` */
function quoteOf(description = ''): string {
  return /\/ ?([A-Z]{3,5})$/.exec(description)?.[1] ?? ''
}
