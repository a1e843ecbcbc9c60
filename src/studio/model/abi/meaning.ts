import { bigintOf, decimalOf, rateText, timeText, unitText } from '../../../live/amount.ts'
import type { NamedStock, Names } from '../../../live/names/names.ts'
import { roleNameOf } from '../../../live/names/roles.ts'
import { decimalUnits } from '../../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { pausableName } from '../stock/stock-contract.ts'
import type { Decoded, DecodedValue } from './decoded.ts'

/** Parameters of stocks that are amounts in base units. */
const AMOUNTS =
  /^(?:amounts?|value|balance|needed|cap|attempted|allowance|totalSupply|supplyCap|(?:old|new)SupplyCap|rawAmount|\[\d+\])$/
const MULTIPLIERS = /^(?:new|old|cancelled)?(?:ui)?multiplier$/i
const TIMES = /^(?:(?:new|cancelled)?effectiveAt|deadline)$/i
/** Cap of a stock without one. */
const NO_CAP = 2n ** 128n - 1n
const ROLES = /role$/i
const FEATURES = /^features?$|^\[\d+\]$/

/** Knows the names of a node. @param token contract of the call, log or error */
export interface MeaningContext {
  readonly names: Names
  readonly token: string | undefined
}

/**
 * The meaning of a decoded value: the name of an address or role, tokens and shares of base units, the time of a
 * timestamp. `undefined` if the value says everything.
 *
 * @example valueMeaning(value, context) // '11.25 HLCYNd'
 */
export function valueMeaning({ name, type, text }: DecodedValue, { names, token }: MeaningContext): string | undefined {
  if (type === 'address') return names.of(text)?.name
  if (type === 'bytes32' && ROLES.test(name)) return roleNameOf(text)
  const number = /^\d+$/.test(text) ? bigintOf(text) : undefined
  if (number === undefined) return undefined
  const stock = names.stock(token)
  if (type === 'uint8') return stock !== undefined && FEATURES.test(name) ? pausableName(number) : undefined
  if (type !== 'uint256' && type !== 'uint64') return undefined
  if (TIMES.test(name)) return number === 0n || number > 10n ** 12n ? undefined : timeText(number)
  if (stock === undefined) return undefined
  if (MULTIPLIERS.test(name)) return rateText(number)
  if (!AMOUNTS.test(name)) return undefined
  return number === NO_CAP && /cap$/i.test(name) ? 'no cap' : tokensText(number, stock)
}

/**
 * Base units of a stock in tokens, and in shares where a token is not one share.
 *
 * @example tokensText(2n * 10n ** 18n, { symbol: 'QLBKFd', decimals: 18, multiplier: '2' }) // '2 QLBKFd (4 shares)'
 */
export function tokensText(units: bigint, stock: NamedStock): string {
  const shares = sharesText(units, stock)
  return `${decimalOf(units, stock.decimals)} ${stock.symbol}${shares === undefined ? '' : ` (${shares})`}`
}

/** Base units in shares with the unit; `undefined` where a token is one share. */
export function sharesText(units: bigint, { decimals, multiplier }: NamedStock): string | undefined {
  const exact = decimalUnits(multiplier, MULTIPLIER_DECIMALS)
  if (typeof exact !== 'bigint' || exact === 10n ** BigInt(MULTIPLIER_DECIMALS)) return undefined
  return unitText(units * exact, decimals + MULTIPLIER_DECIMALS, 'share')
}

/** A decoded error or call as one line, with the meaning of each value in place of raw words. */
export function decodedLine({ name, values }: Pick<Decoded, 'name' | 'values'>, context: MeaningContext): string {
  const parts = values.map((value) => {
    const meaning = valueMeaning(value, context)
    const text = meaning === undefined || value.type === 'address' ? value.text : meaning
    const note = meaning !== undefined && value.type === 'address' ? ` (${meaning})` : ''
    return `${value.name === '' ? '' : `${value.name}: `}${text}${note}`
  })
  return `${name}(${parts.join(', ')})`
}
