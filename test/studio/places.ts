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
    [`#/debug/${hash}`, 'there is nothing to step through'],
    [`#/account/${STOCK}`, 'transferFrom('],
    [`#/account/${STOCK}?tab=storage`, 'Read as'],
    [`#/account/${STOCK}?tab=code`, 'Code'],
    [`#/account/${RECIPIENT}`, 'It has no code'],
    [`#/account/${RECIPIENT}?tab=transactions`, 'Transactions'],
    [`#/account/${RECIPIENT}?tab=tokens`, 'as of the open block'],
    ['#/stocks', 'HLCYNd'],
    [`#/stock/${STOCK}`, /shares? per token/],
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

/** Runs in the page: rows with texts on different lines, or with another width than the head of their table. */
const UNEVEN_TABLES = `(() => {
  const lineOf = (cell) => {
    const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode()
    // A button centres its text, and the mark, by itself.
    if (text === null || text.parentElement.closest('button') !== null) return undefined
    const mark = document.createElement('span')
    mark.style.display = 'inline-block'
    text.before(mark)
    const { bottom } = mark.getBoundingClientRect()
    mark.remove()
    return bottom
  }
  const spread = (values) => Math.max(...values) - Math.min(...values)
  const ends = (row) => [...row.children].map((cell) => cell.getBoundingClientRect().right)
  const uneven = []
  for (const table of document.querySelectorAll('.table:not(.as-cards)')) {
    const head = ends(table.querySelector('.head'))
    for (const row of table.querySelectorAll('.table-all > .table-row')) {
      const lines = [...row.children].map(lineOf).filter((line) => line !== undefined)
      const isAligned = ends(row).every((end, index) => Math.abs(end - head[index]) < 0.5)
      if (spread(lines) > 0.5 || !isAligned) uneven.push(table.ariaLabel + ': ' + row.textContent)
    }
  }
  return uneven
})()`

export async function unevenTables(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(UNEVEN_TABLES)) as readonly string[]
}
