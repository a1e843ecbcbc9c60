import { type KnownAddress, knownAddress } from './known-addresses.ts'

/** A stock as far as its amounts need it. */
export interface NamedStock {
  readonly address: string
  readonly symbol: string
  readonly decimals: number
  /** Shares per token as an exact decimal. */
  readonly multiplier: string
}

/** Names of addresses: the listed stocks of a node, and those that every chain has. */
export interface Names {
  stock(address: string | undefined): NamedStock | undefined
  of(address: string): KnownAddress | undefined
}

/** Native tokens (Base specs: B20) have addresses of their own. */
const NATIVE_PREFIX = '0xb2000000000000000000'

/** @param stocks of the node's list; symbols are cleaned by the caller */
export function createNames(stocks: readonly NamedStock[]): Names {
  const byAddress = new Map(stocks.map((stock) => [stock.address.toLowerCase(), stock]))
  const stock = (address: string | undefined) =>
    address === undefined ? undefined : byAddress.get(address.toLowerCase())
  return {
    stock,
    of(address) {
      const symbol = stock(address)?.symbol
      if (symbol === undefined || symbol === '') return knownAddress(address)
      return { name: symbol, abi: address.toLowerCase().startsWith(NATIVE_PREFIX) ? 'B20Asset' : 'StockToken' }
    },
  }
}

export const NO_NAMES: Names = createNames([])
