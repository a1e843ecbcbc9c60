import type { Page } from 'playwright-core'

/** A demonstration stock. */
export const STOCK = '0x5700000000000000000000000000000000000001'
/** An account without code. */
export const RECIPIENT = '0x00000000000000000000000000000000000000aa'

/** Every view, with a text that is there when it is complete. */
export function placesOf(hash: string, block: number): readonly (readonly [place: string, shown: string | RegExp])[] {
  return [
    ['#/live', 'newest first'],
    ['#/blocks', 'Base fee (gwei)'],
    [`#/block/${block}`, 'All fields'],
    [`#/tx/${hash}`, 'Price paid'],
    [`#/tx/${hash}?tab=input`, 'only transfers ether'],
    [`#/tx/${hash}?tab=logs`, 'emitted no logs'],
    [`#/tx/${hash}?tab=calls`, 'in the order of execution'],
    [`#/tx/${hash}?tab=state`, 'Balance (ETH)'],
    [`#/tx/${hash}?tab=raw`, 'cumulativeGasUsed'],
    [`#/account/${STOCK}`, 'transferFrom('],
    [`#/account/${STOCK}?tab=storage`, 'Read as'],
    [`#/account/${STOCK}?tab=code`, 'Code'],
    [`#/account/${RECIPIENT}`, 'It has no code'],
    [`#/account/${RECIPIENT}?tab=transactions`, 'Transactions'],
    [`#/account/${RECIPIENT}?tab=tokens`, 'as of the open block'],
    ['#/stocks', 'HLCYNd'],
    [`#/stock/${STOCK}`, 'shares per token'],
    [`#/stock/${STOCK}?tab=holders`, 'Share'],
    [`#/stock/${STOCK}?tab=events`, 'of sealed blocks'],
    [`#/stock/${STOCK}?tab=actions`, 'tickertape stock announce'],
    ['#/pool', 'Waits for'],
    ['#/control', 'Impersonation'],
    ['#/cluster', 'Records behind'],
    ['#/console?method=eth_call', 'Parameters'],
    ['#/nowhere', 'Nothing here'],
  ]
}

/** Pixels by which the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
}
