import { openApi, referencePage } from './document-routes.ts'
import type { Route } from './route.ts'
import { getTokenTotalSupply } from './tokenized-stocks/get-token-total-supply.ts'
import { listChainContractAddresses } from './tokenized-stocks/list-chain-contract-addresses.ts'
import { listTokenizedStocks } from './tokenized-stocks/list-tokenized-stocks.ts'

/** All routes. A test compares them with the files that define routes. */
export const ROUTES: readonly Route[] = [
  listTokenizedStocks,
  listChainContractAddresses,
  getTokenTotalSupply,
  openApi,
  referencePage,
]
