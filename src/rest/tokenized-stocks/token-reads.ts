import type { Address, Bytes } from '../../primitives/hex.ts'
import { decodeAddresses, decodeString, decodeWords, EXTRA_METADATA_ISIN, READS, stocksFrom, wordAt } from './abi.ts'
import type { BlockReads, ContractCall } from './chain-source.ts'

export interface TokenSupply {
  /** Base units. */
  readonly totalSupply: bigint
  /** 0 to 255. */
  readonly decimals: number
}

/** A price as recorded by its feed. */
export interface NavPrice {
  /** Price x 10^decimals, above 0. */
  readonly answer: bigint
  /** 0 to 255. */
  readonly decimals: number
  /** Unix seconds. */
  readonly updatedAt: bigint
}

/** Values of a listed token at one block. */
export interface TokenReading extends TokenSupply {
  /** Shares per token, with 18 decimals; a scheduled multiplier applies from its time. */
  readonly multiplier: bigint
  /** Ordinals: 0 transfer, 1 mint, 2 burn, 3 seize. */
  readonly pausedFeatures: readonly number[]
  /** `undefined` without a feed or a valid price. */
  readonly nav: NavPrice | undefined
  /** `undefined` when not read, not available or longer than `MAX_TEXT_BYTES`. */
  readonly symbol: string | undefined
  readonly name: string | undefined
  readonly isin: string | undefined
}

/** A token to read. */
export interface TokenToRead {
  readonly address: Address
  /** Whether symbol, name and ISIN are read too. */
  readonly needsNames: boolean
  /** Price feed, a Chainlink aggregator. */
  readonly navFeed?: Address | undefined
}

/** Tokens of a factory that are listed, oldest first. */
export const MAX_DISCOVERED = 1_000
const PAGE = 250
/** Twice the gas of a page. The factory is chosen by the operator. */
const PAGE_GAS = 1_000_000

const WAD = 10n ** 18n
export const MAX_TEXT_BYTES = 256
export const MAX_FEATURES = 256
/** Sign bit of an int256. */
const SIGN = 1n << 255n
/** 9999-12-31T23:59:59Z, the last second that RFC 3339 can name. */
const LAST_SECOND = 253_402_300_799n

/** Supply and decimals; `undefined` if the address is not an ERC-20 token. */
export async function readSupply(reads: BlockReads, to: Address): Promise<TokenSupply | undefined> {
  const [decimals, totalSupply] = await reads.call([
    { to, data: READS['decimals()'] },
    { to, data: READS['totalSupply()'] },
  ])
  return supplyOf(decimals, totalSupply)
}

/**
 * Reads tokens in one batch, in the order of `tokens`; `undefined` for an address that is not an ERC-20 token. The
 * multiplier is that of the asset standard, otherwise of ERC-8056, otherwise 1.
 */
export async function readTokens(
  reads: BlockReads,
  tokens: readonly TokenToRead[],
): Promise<readonly (TokenReading | undefined)[]> {
  const plans = tokens.map(callsOf)
  const outputs = await reads.call(plans.flat())
  let position = 0
  return tokens.map((token, index) => {
    const start = position
    position += plans[index]!.length
    return readingOf(token, outputs.slice(start, position))
  })
}

/** Stocks of the factory in order of creation; empty without a factory. */
export async function readFactoryList(reads: BlockReads, factory: Address): Promise<readonly Address[]> {
  const pages = Array.from({ length: MAX_DISCOVERED / PAGE }, (_, index) => stocksFrom(index * PAGE, PAGE))
  const outputs = await reads.call(pages.map((data) => ({ to: factory, data, gas: PAGE_GAS })))
  return outputs.flatMap((output) => decodeAddresses(output, PAGE) ?? [])
}

const TOKEN_READS = [
  READS['decimals()'],
  READS['totalSupply()'],
  READS['multiplier()'],
  READS['uiMultiplier()'],
  READS['pausedFeatures()'],
]
const FEED_READS = [READS['latestRoundData()'], READS['decimals()']]
const NAME_READS = [READS['symbol()'], READS['name()'], EXTRA_METADATA_ISIN]

function callsOf({ address, needsNames, navFeed }: TokenToRead): readonly ContractCall[] {
  const reads = needsNames ? [...TOKEN_READS, ...NAME_READS] : TOKEN_READS
  return [
    ...reads.map((data) => ({ to: address, data })),
    ...(navFeed === undefined ? [] : FEED_READS.map((data) => ({ to: navFeed, data }))),
  ]
}

/** @param outputs results of `callsOf` for this token */
function readingOf(
  { needsNames, navFeed }: TokenToRead,
  outputs: readonly (Bytes | undefined)[],
): TokenReading | undefined {
  const [decimals, totalSupply, multiplier, uiMultiplier, features, ...others] = outputs
  const supply = supplyOf(decimals, totalSupply)
  if (supply === undefined) return undefined
  const [symbol, name, isin] = needsNames ? others : []
  const [round, feedDecimals] = navFeed === undefined ? [] : others.slice(-FEED_READS.length)
  return {
    ...supply,
    multiplier: multiplierIn(multiplier) ?? multiplierIn(uiMultiplier) ?? WAD,
    pausedFeatures: featuresOf(features),
    nav: priceOf(round, feedDecimals),
    symbol: decodeString(symbol, MAX_TEXT_BYTES),
    name: decodeString(name, MAX_TEXT_BYTES),
    isin: decodeString(isin, MAX_TEXT_BYTES),
  }
}

function supplyOf(decimalsOutput: Bytes | undefined, supplyOutput: Bytes | undefined): TokenSupply | undefined {
  const decimals = decimalsIn(decimalsOutput)
  const totalSupply = wordAt(supplyOutput, 0)
  return decimals === undefined || totalSupply === undefined ? undefined : { totalSupply, decimals }
}

/** A uint8. */
function decimalsIn(output: Bytes | undefined): number | undefined {
  const word = wordAt(output, 0)
  return word === undefined || word > 255n ? undefined : Number(word)
}

/** A multiplier is above 0; a contract whose fallback returns 0 has none. */
function multiplierIn(output: Bytes | undefined): bigint | undefined {
  return wordAt(output, 0) || undefined
}

/** Ordinals are uint8; other values mean that the contract does not implement the standard. */
function featuresOf(output: Bytes | undefined): readonly number[] {
  const words = decodeWords(output, MAX_FEATURES) ?? []
  return words.every((word) => word <= 255n) ? words.map(Number) : []
}

/**
 * `latestRoundData()` is (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80
 * answeredInRound).
 */
function priceOf(round: Bytes | undefined, feedDecimals: Bytes | undefined): NavPrice | undefined {
  const response = wordAt(round, 1)
  const updatedAt = wordAt(round, 3)
  const decimals = decimalsIn(feedDecimals)
  if (response === undefined || updatedAt === undefined || decimals === undefined) return undefined
  // An incomplete round has the time 0. A price is positive.
  if (response === 0n || response >= SIGN || updatedAt === 0n || updatedAt > LAST_SECOND) return undefined
  return { answer: response, decimals, updatedAt }
}
