import type { JsonSchema } from '../../rpc/protocol/json.ts'
import { arrayOf, orNull } from '../../rpc/schemas/schemas.ts'
import { STOCK_COMMANDS } from '../stock/stock-commands.ts'
import { DECIMAL, either, FLAG, HEX, mapOf, OBJECT, REAL_NUMBER, record, TEXT, TIME, WHOLE } from './schema-parts.ts'

const BLOCK = record({ number: WHOLE, timestamp: TIME })
const STOCK = record({
  address: HEX,
  symbol: TEXT,
  name: TEXT,
  decimals: WHOLE,
  totalSupply: DECIMAL,
  supplyCap: orNull(DECIMAL),
  multiplier: DECIMAL,
  scheduledMultiplier: orNull(record({ multiplier: DECIMAL, effectiveAt: TIME })),
  pausedFeatures: arrayOf(TEXT),
  isin: orNull(TEXT),
})
const EXECUTED = {
  dryRun: FLAG,
  sender: HEX,
  gasUsed: WHOLE,
  transaction: orNull(
    record({ hash: HEX, blockNumber: WHOLE, blockHash: HEX, flashblock: orNull(WHOLE), milliseconds: REAL_NUMBER }),
  ),
  events: arrayOf(record({ name: TEXT, arguments: OBJECT })),
}
const CHANGE = record({ ...EXECUTED, before: orNull(STOCK), after: STOCK }, { salt: HEX })
const MARKET_CHANGE = record({ ...EXECUTED, before: OBJECT, after: OBJECT }, { feed: HEX })
/** Facts about a stock. */
const facts = (members: Readonly<Record<string, JsonSchema>>) =>
  record({ block: BLOCK, stock: record({ address: HEX, symbol: TEXT }), ...members })
const ENTRIES = { entries: arrayOf(OBJECT), isComplete: FLAG }

const FOUND = record({ block: BLOCK, stock: STOCK })
const FEED = record({
  address: HEX,
  price: DECIMAL,
  sharePrice: DECIMAL,
  updatedAt: TIME,
  frozen: FLAG,
  session: TEXT,
})
const SHOWN = record({ block: BLOCK, stock: STOCK, feed: orNull(FEED) })
/** A line of `show --watch`: an event of the stock service (docs/stocks.md). */
const EVENT: JsonSchema = { type: 'object', properties: { removed: FLAG }, required: ['removed'] }

const OTHERS: Readonly<Record<string, JsonSchema>> = {
  list: record({ block: BLOCK, stocks: arrayOf(STOCK) }),
  show: either(SHOWN, EVENT),
  wait: FOUND,
  history: record({ address: HEX, field: TEXT, ...ENTRIES }),
  holders: record({ address: HEX, ...ENTRIES }),
  roles: facts({ roles: mapOf(arrayOf(HEX)) }),
  policy: facts({ policies: OBJECT }),
  metadata: facts({ metadata: mapOf(TEXT) }),
  price: MARKET_CHANGE,
  freeze: MARKET_CHANGE,
  resume: MARKET_CHANGE,
  session: MARKET_CHANGE,
}

/** Output of each command of `tickertape stock` that succeeds, by name. */
export const STOCK_OUTPUTS: ReadonlyMap<string, JsonSchema> = new Map(
  STOCK_COMMANDS.map(({ name }) => [name, OTHERS[name] ?? CHANGE]),
)
