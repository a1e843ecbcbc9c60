import { createContract, decodeError, events, parseAbi } from 'micro-eth-signer/abi.js'
import oracleRegistry from '../../../chain/predeploys/oracle-registry.json' with { type: 'json' }
import priceFeed from '../../../chain/predeploys/price-feed.json' with { type: 'json' }
import stockFactory from '../../../chain/predeploys/stock-factory.json' with { type: 'json' }
import stockMarket from '../../../chain/predeploys/stock-market.json' with { type: 'json' }
import stockProxy from '../../../chain/predeploys/stock-proxy.json' with { type: 'json' }
import stockToken from '../../../chain/predeploys/stock-token.json' with { type: 'json' }
import { type Bytes, bytesToHex, type Hex, hexToBytes } from '../../../primitives/hex.ts'

/** Types that the library infers for an ABI that is known only at run time. */
type Codecs = Readonly<Record<string, { encodeInput(value?: unknown): Bytes; decodeOutput(data: Bytes): unknown }>>
type EventCodecs = Readonly<
  Record<string, { decode(topics: readonly string[], data: string): object; topics: unknown }>
>

/** Values by their names in the contract; numbers are `bigint`, bytes hex. */
export type Arguments = Readonly<Record<string, unknown>>

export interface Named {
  readonly name: string
  readonly args: Arguments
}

interface Input {
  readonly name: string
  readonly type: string
}

interface AbiItem {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly Input[]
}

// The ABIs compiled from contracts/stock.
const MARKET_ABI = [...priceFeed.abi, ...oracleRegistry.abi, ...stockMarket.abi].filter(
  ({ type }) => type !== 'constructor',
)
const ITEMS = [...stockToken.abi, ...stockFactory.abi, ...stockProxy.abi, ...MARKET_ABI] as readonly AbiItem[]
const ERRORS = ITEMS.filter(({ type }) => type === 'error')

// Encodes `params` of a creation like the single argument of a function.
const ASSET_PARAMS = [
  'function assetParams((uint8 version, string name, string symbol, address initialAdmin, uint8 decimals) params)',
]

const STOCK: Codecs = codecsOf(stockToken.abi)
const FACTORY: Codecs = codecsOf(stockFactory.abi)
const FEED: Codecs = codecsOf(priceFeed.abi)
const MARKET: Codecs = codecsOf(stockMarket.abi)
const ORACLES: Codecs = codecsOf(oracleRegistry.abi)
const PARAMS: Codecs = codecsOf(parseAbi(ASSET_PARAMS))
const EVENTS = events([...stockToken.abi, ...stockFactory.abi, ...MARKET_ABI] as never) as unknown as EventCodecs

/** A function of a contract: encodes calls and decodes results. */
export interface ContractFunction {
  encode(args?: unknown): Bytes
  decode(output: Bytes): unknown
}

/**
 * A function of a stock. A single argument or result is passed as it is, several by name.
 *
 * @example stockFunction('mint').encode({ to, amount: 5n })
 */
export function stockFunction(name: string): ContractFunction {
  return functionOf(STOCK, name)
}

export function factoryFunction(name: string): ContractFunction {
  return functionOf(FACTORY, name)
}

/** A function of a price feed. */
export function feedFunction(name: string): ContractFunction {
  return functionOf(FEED, name)
}

/** A function of the market, which has the session of the exchange. */
export function marketFunction(name: string): ContractFunction {
  return functionOf(MARKET, name)
}

/** A function of the oracle registry. */
export function oracleFunction(name: string): ContractFunction {
  return functionOf(ORACLES, name)
}

/** Encodes `params` of `createB20`. */
export function encodeAssetParams(params: Arguments): Bytes {
  return functionOf(PARAMS, 'assetParams').encode(params).subarray(4)
}

/** Decodes a log of a stock or the factory; undefined for any other. */
export function decodeEvent(topics: readonly Hex[], data: Hex): Named | undefined {
  for (const [name, codec] of Object.entries(EVENTS)) {
    try {
      return { name, args: inOrder(name, codec.decode([...topics], data)) }
    } catch {
      // The topics belong to another event.
    }
  }
  return undefined
}

/** Decodes revert data; undefined if it is not an error of the contracts. */
export function decodeRevert(data: Hex): Named | undefined {
  try {
    const decoded = decodeError(hexToBytes(data), ERRORS as never)
    if (decoded === undefined) return undefined
    const { name, args } = decoded
    if (name === 'Error' || name === 'Panic') return { name, args: { reason: decoded.message } }
    const inputs = ERRORS.find((error) => error.name === name)?.inputs ?? []
    // The library returns a single value without its name.
    return { name, args: inputs.length === 1 ? { [inputs[0]!.name]: plain(args) } : plainAll(args as Arguments) }
  } catch {
    return undefined
  }
}

function codecsOf(abi: unknown): Codecs {
  return createContract(abi as never) as unknown as Codecs
}

function functionOf(codecs: Codecs, name: string): ContractFunction {
  const { encodeInput, decodeOutput } = codecs[name]!
  return { encode: (args) => encodeInput(args), decode: (output) => plain(decodeOutput(output)) }
}

/** In the order of declaration; the library puts indexed parameters last. */
function inOrder(event: string, decoded: object): Arguments {
  const inputs = ITEMS.find(({ type, name }) => type === 'event' && name === event)?.inputs ?? []
  return Object.fromEntries(inputs.map(({ name }) => [name, plain((decoded as Arguments)[name])]))
}

function plainAll(args: Arguments | undefined): Arguments {
  return Object.fromEntries(Object.entries(args ?? {}).map(([name, value]) => [name, plain(value)]))
}

/** Bytes as hex, including those in lists. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesToHex(value)
  return Array.isArray(value) ? value.map(plain) : value
}
