import { openApi, referencePage } from './document-routes.ts'
import { getStockHistory } from './get-stock-history.ts'
import { getSupplyProof } from './get-supply-proof.ts'
import { getExactTokenTotalSupply, getTokenTotalSupply } from './get-token-total-supply.ts'
import { getTokenizedStock } from './get-tokenized-stock.ts'
import { listChainContractAddresses } from './list-chain-contract-addresses.ts'
import { listCorporateActions } from './list-corporate-actions.ts'
import { listHolders } from './list-holders.ts'
import { listTokenizedStocks } from './list-tokenized-stocks.ts'
import type { Route } from './route.ts'
import { streamStockEvents } from './stream-stock-events.ts'

/** All routes; a request gets the first one that matches. A test compares them with the files that define routes. */
export const ROUTES: readonly Route[] = [
  listTokenizedStocks,
  listChainContractAddresses,
  getTokenTotalSupply,
  getExactTokenTotalSupply,
  streamStockEvents,
  getTokenizedStock,
  listCorporateActions,
  getStockHistory,
  listHolders,
  getSupplyProof,
  openApi,
  referencePage,
]
