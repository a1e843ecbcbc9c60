import { DEMO_STOCKS, NATIVE_DEMO_STOCKS } from '../../chain/predeploys/demo-stocks.ts'
import { knownAddress } from '../../live/names/known-addresses.ts'
import type { Address } from '../../primitives/hex.ts'

const SYMBOLS = new Map(
  [...DEMO_STOCKS, ...NATIVE_DEMO_STOCKS].map(({ address, symbol }) => [address as string, symbol]),
)

/** The name of a development account, a contract of block 0 or a demonstration stock, as the studio shows it. */
export function addressName(address: Address): string | undefined {
  return SYMBOLS.get(address) ?? knownAddress(address)?.name
}
