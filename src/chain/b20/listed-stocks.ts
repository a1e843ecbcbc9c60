import { type Address, toAddress } from '../../primitives/hex.ts'

/** Stocks that Base lists (docs.base.org, "Tokenized stocks"). Its factory has no list of its tokens. */
const BASE_STOCKS: readonly Address[] = [
  '0xb200000000000000000000c2e324d24d7eecd1fb', // AAPLc
  '0xb200000000000000000000d9192b6b456483c2e8', // AMZNc
  '0xb2000000000000000000002d0ba3164cc74f58b7', // GOOGLc
  '0xb2000000000000000000008bc8786b856e61707c', // METAc
  '0xb200000000000000000000ab99cfa739e253872b', // MSFTc
  '0xb2000000000000000000004884b426556b92883d', // MSTRc
  '0xb20000000000000000000078ee7ce2fe4908108c', // NVDAc
  '0xb200000000000000000000397293cb8cda9a10c5', // SNDKc
  '0xb2000000000000000000007b9fcbd005511acbd5', // SPCXc
  '0xb2000000000000000000001e800a7f5189430cd0', // TSLAc
].map(toAddress)

const BY_CHAIN_ID: ReadonlyMap<bigint, readonly Address[]> = new Map([[8_453n, BASE_STOCKS]])

/** The stocks that a public chain is known to list. */
export function listedStocks(chainId: bigint): readonly Address[] {
  return BY_CHAIN_ID.get(chainId) ?? []
}
