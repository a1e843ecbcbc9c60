import { jsonIn, objectIn } from './amount.ts'
import { RequestError } from './request-error.ts'

/** A tokenized stock as the REST service of the node reports it; amounts are exact decimals. */
export interface StockRecord {
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly supply: string
  readonly multiplier: string
  readonly pausedFeatures: readonly string[]
  /** Price of a token; '0' without a feed. */
  readonly price: string
  /** Unix milliseconds. */
  readonly pricedAt: number | undefined
  readonly isin: string
}

interface Service {
  read(path: string): Promise<{ readonly status: number; readonly text: string }>
}

const MAX_DECIMALS = 77
const FEATURES = ['transfers', 'minting', 'burning', 'seizing']

/**
 * Every listed stock.
 *
 * @throws RequestError with the message of the service
 */
export async function readStocks(service: Service): Promise<readonly StockRecord[]> {
  const { status, text } = await service.read('v1/tokenized-stocks?exact=true')
  const { tokens, message } = objectIn(jsonIn(text))
  if (status !== 200 || !Array.isArray(tokens)) {
    throw new RequestError('INVALID_RESPONSE', typeof message === 'string' ? message : `the service answered ${status}`)
  }
  return tokens.flatMap((token) => stockRecord(token) ?? [])
}

/** Reads a record of the service; `undefined` if it is none. */
export function stockRecord(json: unknown): StockRecord | undefined {
  const record = objectIn(json)
  const decimals = record.decimals ?? 0
  if (typeof record.contract_address !== 'string' || !isDecimals(decimals)) return undefined
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
  const paused = Array.isArray(record.paused_features) ? record.paused_features : []
  const pricedAt = Date.parse(text(record.nav_price_updated_at))
  return {
    address: record.contract_address,
    symbol: text(record.symbol),
    name: text(record.name),
    decimals,
    supply: text(record.total_supply_exact),
    multiplier: text(record.multiplier_exact),
    pausedFeatures: paused.map((feature: unknown) => FEATURES[Number(feature)] ?? `feature ${feature}`),
    price: text(record.nav_price_exact),
    pricedAt: Number.isNaN(pricedAt) ? undefined : pricedAt,
    isin: text(record.isin),
  }
}

/** More decimals leave no whole token in 256 bits, and others are no exponent to compute amounts with. */
function isDecimals(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_DECIMALS
}
