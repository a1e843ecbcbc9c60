import type { Address, Bytes } from '../../primitives/hex.ts'
import { decodeAddresses, decodeString, decodeWords, EXTRA_METADATA_ISIN, READS, stocksFrom, wordAt } from './abi.ts'
import type { BlockReads } from './chain-source.ts'
import { type FunctionRead, type FunctionResult, type RefusedRead, readFunctions } from './function-reads.ts'
import { MINT_ROLE } from './minting-rights.ts'

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

/** A multiplier that applies from a later block on. */
export interface NextMultiplier {
  /** Shares per token, with 18 decimals. */
  readonly multiplier: bigint
  /** Unix seconds. */
  readonly effectiveAt: bigint
}

/** A read that failed although the contract has the function, or two reads that contradict each other. */
export interface ReadProblem {
  readonly address: Address
  /** The function. @example 'multiplier()' */
  readonly call: string
  readonly message: string
}

/** Values of a listed token at one block. */
export interface TokenReading extends TokenSupply {
  readonly kind: 'token'
  /** Shares per token, with 18 decimals; a scheduled multiplier applies from its time. */
  readonly multiplier: bigint
  /** The newest schedule of a multiplier (ERC-8056), past or not: `scheduledAfter` says which. */
  readonly schedule: NextMultiplier | undefined
  /** Ordinals: 0 transfer, 1 mint, 2 burn, 3 seize. */
  readonly pausedFeatures: readonly number[]
  /** `undefined` without a feed or a valid price. */
  readonly nav: NavPrice | undefined
  /** `undefined` when not read, not available or longer than `MAX_TEXT_BYTES`. */
  readonly symbol: string | undefined
  readonly name: string | undefined
  readonly isin: string | undefined
  /** Whether it has the roles of the asset standard (B20), whose events tell who can mint. */
  readonly hasMintRole: boolean
  /** Does not keep the token from being listed. */
  readonly problem: ReadProblem | undefined
}

/** The address is not an ERC-20 token. */
const NO_TOKEN = { kind: 'noToken' } as const

/** A token to read. */
export interface TokenToRead {
  readonly address: Address
  /** Whether symbol, name and ISIN are read too. */
  readonly needsNames: boolean
  /** Price feed, a Chainlink aggregator. */
  readonly navFeed?: Address | undefined
  /** Whether the supply counts shares already: the multiplier is then 1, whatever the contract returns. */
  readonly supplyIncludesMultiplier?: boolean | undefined
}

/** Tokens of a factory that are listed, oldest first. */
export const MAX_DISCOVERED = 1_000
const PAGE = 250

const WAD = 10n ** 18n
export const MAX_TEXT_BYTES = 256
export const MAX_FEATURES = 256
/** Sign bit of an int256. */
const SIGN = 1n << 255n
/** 9999-12-31T23:59:59Z, the last second that RFC 3339 can name. */
export const LAST_SECOND = 253_402_300_799n

/** Supply and decimals of a token. */
export async function readSupply(
  reads: BlockReads,
  to: Address,
): Promise<({ readonly kind: 'token' } & TokenSupply) | typeof NO_TOKEN | RefusedRead> {
  const [decimals, totalSupply] = await readFunctions(reads, [
    { to, ...DECIMALS },
    { to, ...TOTAL_SUPPLY },
  ])
  const refusal = refusalIn(totalSupply, decimals)
  if (refusal !== undefined) return refusal
  const supply = supplyOf(outputOf(decimals), outputOf(totalSupply))
  return supply === undefined ? NO_TOKEN : { kind: 'token', ...supply }
}

/** Supply, decimals and multiplier of a token, as its contract returns them. */
export async function readSupplyAndMultiplier(
  reads: BlockReads,
  to: Address,
): Promise<({ readonly kind: 'token'; readonly multiplier: bigint } & TokenSupply) | typeof NO_TOKEN | RefusedRead> {
  const calls = [DECIMALS, TOTAL_SUPPLY, OWN_MULTIPLIER, UI_MULTIPLIER].map((named) => ({ to, ...named }))
  const [decimals, totalSupply, own, ui] = await readFunctions(reads, calls)
  const multiplier = multiplierOf(own, ui)
  if (typeof multiplier !== 'bigint') return multiplier
  const refusal = refusalIn(totalSupply, decimals)
  if (refusal !== undefined) return refusal
  const supply = supplyOf(outputOf(decimals), outputOf(totalSupply))
  return supply === undefined ? NO_TOKEN : { kind: 'token', ...supply, multiplier }
}

/** Shares per token, with 18 decimals, or the refused call. */
export async function readMultiplier(reads: BlockReads, to: Address): Promise<bigint | RefusedRead> {
  const [own, ui] = await readFunctions(reads, [
    { to, ...OWN_MULTIPLIER },
    { to, ...UI_MULTIPLIER },
  ])
  return multiplierOf(own, ui)
}

/** The price of a feed; `undefined` without a valid one. */
export async function readPrice(reads: BlockReads, feed: Address): Promise<NavPrice | RefusedRead | undefined> {
  const [round, decimals] = await readFunctions(
    reads,
    FEED_READS.map((named) => ({ to: feed, ...named })),
  )
  return refusalIn(round, decimals) ?? priceOf(outputOf(round), outputOf(decimals))
}

/**
 * Reads tokens in one batch, in the order of `tokens`. The multiplier is that of the asset standard, otherwise of
 * ERC-8056, otherwise 1.
 */
export async function readTokens(
  reads: BlockReads,
  tokens: readonly TokenToRead[],
): Promise<readonly (TokenReading | typeof NO_TOKEN | RefusedRead)[]> {
  const plans = tokens.map(callsOf)
  const results = await readFunctions(reads, plans.flat())
  let position = 0
  return tokens.map((token, index) => {
    const start = position
    position += plans[index]!.length
    return readingOf(token, results.slice(start, position))
  })
}

/** Stocks of the factory in order of creation, or why it does not list them; empty without a factory. */
export async function readFactoryList(
  reads: BlockReads,
  factory: Address,
): Promise<{ readonly kind: 'listed'; readonly addresses: readonly Address[] } | RefusedRead> {
  const pages = Array.from({ length: MAX_DISCOVERED / PAGE }, (_, index) => stocksFrom(index * PAGE, PAGE))
  const results = await readFunctions(
    reads,
    pages.map((data) => ({ to: factory, data, call: 'stocksFrom(uint256,uint256)' })),
  )
  const refusal = refusalIn(...results)
  if (refusal !== undefined) return refusal
  return { kind: 'listed', addresses: results.flatMap((result) => decodeAddresses(outputOf(result), PAGE) ?? []) }
}

export type NamedRead = Omit<FunctionRead, 'to'>

export const functionRead = (call: keyof typeof READS): NamedRead => ({ call, data: READS[call] })
const DECIMALS = functionRead('decimals()')
const TOTAL_SUPPLY = functionRead('totalSupply()')
const OWN_MULTIPLIER = functionRead('multiplier()')
const UI_MULTIPLIER = functionRead('uiMultiplier()')
const TOKEN_READS: readonly NamedRead[] = [
  DECIMALS,
  TOTAL_SUPPLY,
  OWN_MULTIPLIER,
  UI_MULTIPLIER,
  functionRead('totalSupplyUI()'),
  functionRead('pausedFeatures()'),
  functionRead('MINT_ROLE()'),
  functionRead('newUIMultiplier()'),
  functionRead('effectiveAt()'),
]
const FEED_READS: readonly NamedRead[] = [functionRead('latestRoundData()'), DECIMALS]
const NAME_READS: readonly NamedRead[] = [
  functionRead('symbol()'),
  functionRead('name()'),
  { call: 'extraMetadata("isin")', data: EXTRA_METADATA_ISIN },
]

function callsOf({ address, needsNames, navFeed }: TokenToRead): readonly FunctionRead[] {
  const reads = needsNames ? [...TOKEN_READS, ...NAME_READS] : TOKEN_READS
  return [
    ...reads.map((named) => ({ to: address, ...named })),
    ...(navFeed === undefined ? [] : FEED_READS.map((named) => ({ to: navFeed, ...named }))),
  ]
}

/** @param results of `callsOf` for this token */
function readingOf(
  token: TokenToRead,
  results: readonly FunctionResult[],
): TokenReading | typeof NO_TOKEN | RefusedRead {
  const [decimals, totalSupply, ownMultiplier, uiMultiplier, totalSupplyUI, features, role] = results
  const [next, effectiveAt, ...others] = results.slice(7)
  const [symbol, name, isin] = token.needsNames ? others : []
  const [round, feedDecimals] = token.navFeed === undefined ? [] : others.slice(-FEED_READS.length)
  const [supplyOutput, decimalsOutput] = [outputOf(totalSupply), outputOf(decimals)]
  const multiplier = token.supplyIncludesMultiplier === true ? WAD : multiplierOf(ownMultiplier, uiMultiplier)
  if (typeof multiplier !== 'bigint') return multiplier
  const refusal = refusalIn(totalSupply, decimals, features, symbol, name, isin)
  if (refusal !== undefined) return refusal
  const supply = supplyOf(decimalsOutput, supplyOutput)
  if (supply === undefined) return NO_TOKEN
  return {
    kind: 'token',
    ...supply,
    multiplier,
    schedule: token.supplyIncludesMultiplier === true ? undefined : scheduleOf(outputOf(next), outputOf(effectiveAt)),
    pausedFeatures: featuresOf(outputOf(features)),
    nav: priceOf(outputOf(round), outputOf(feedDecimals)),
    symbol: decodeString(outputOf(symbol), MAX_TEXT_BYTES),
    name: decodeString(outputOf(name), MAX_TEXT_BYTES),
    isin: decodeString(outputOf(isin), MAX_TEXT_BYTES),
    hasMintRole: wordAt(outputOf(role), 0) === BigInt(MINT_ROLE),
    problem:
      contradictionOf(token, supply.totalSupply, multiplier, outputOf(totalSupplyUI)) ??
      refusalIn(round, feedDecimals, next, effectiveAt),
  }
}

function scheduleOf(next: Bytes | undefined, effectiveAt: Bytes | undefined): NextMultiplier | undefined {
  const [multiplier, time] = [wordAt(next, 0), wordAt(effectiveAt, 0)]
  return multiplier === undefined || time === undefined ? undefined : { multiplier, effectiveAt: time }
}

/** The multiplier that applies after a time (Unix seconds): `effectiveAt()` keeps its value after its time. */
export function scheduledAfter(
  { schedule }: Pick<TokenReading, 'schedule'>,
  timestamp: bigint,
): NextMultiplier | undefined {
  return schedule !== undefined && schedule.effectiveAt > timestamp ? schedule : undefined
}

/** A multiplier that the contract refuses is not 1; the other function may return it. */
function multiplierOf(own: FunctionResult | undefined, ui: FunctionResult | undefined): bigint | RefusedRead {
  return multiplierIn(outputOf(own)) ?? multiplierIn(outputOf(ui)) ?? refusalIn(own, ui) ?? WAD
}

/**
 * ERC-8056: `totalSupplyUI()` is the supply times the multiplier. Another value means that one of them is not what it
 * seems, such as a supply that counts shares already.
 */
function contradictionOf(
  { address, supplyIncludesMultiplier = false }: TokenToRead,
  totalSupply: bigint,
  multiplier: bigint,
  output: Bytes | undefined,
): ReadProblem | undefined {
  const totalSupplyUI = wordAt(output, 0)
  const expected = (totalSupply * multiplier) / WAD
  if (totalSupplyUI === undefined || totalSupplyUI === expected) return undefined
  const remedy = supplyIncludesMultiplier
    ? 'the registry says supply_includes_multiplier, which may be wrong'
    : 'if the supply is multiplied already, say supply_includes_multiplier in the registry'
  return {
    address,
    call: 'totalSupplyUI()',
    message: `it is ${totalSupplyUI}, not supply times multiplier, ${expected}: ${remedy}`,
  }
}

export function outputOf(result: FunctionResult | undefined): Bytes | undefined {
  return result?.kind === 'returned' ? result.output : undefined
}

export function refusalIn(...results: readonly (FunctionResult | undefined)[]): RefusedRead | undefined {
  return results.find((result) => result?.kind === 'refused')
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
