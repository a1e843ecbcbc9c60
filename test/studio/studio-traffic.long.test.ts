import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, watchedPage } from './browser.ts'
import { overflowOf, placesOf, unevenTables } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

let node: StudioNode
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  node = await startStudioNode(await freePort(), ['--ephemeral', '--demo'])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
})

interface PlainTransaction {
  readonly hash: string
  readonly input: string
  readonly value: string
  readonly blockNumber: string
}

/** A transfer of ether in the newest sealed block that has one. */
async function etherTransfer(): Promise<PlainTransaction> {
  for (;;) {
    const block = (await node.request('eth_getBlockByNumber', ['latest', true])) as {
      readonly transactions: readonly PlainTransaction[]
    }
    const found = block.transactions.find(({ input, value }) => input === '0x' && Number(value) > 0)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function heightOf(page: Page): Promise<number> {
  return Number((await page.locator('.open-number').textContent())!.replaceAll(',', ''))
}

/** Runs in the page: each layout shift with its score and the classes of what moved. */
const RECORD_SHIFTS = `
  globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      shifts.push(value + ' ' + sources.map(({ node }) => node?.className ?? '').join(', '))
    }
  }).observe({ type: 'layout-shift', buffered: true })
`

describe.skipIf(!hasBrowser)('the studio with demonstration traffic', () => {
  test('shows every view while the chain grows, with the texts of each row on one line', async () => {
    const { page, problems } = await watchedPage(browser)
    const { hash, blockNumber } = await etherTransfer()
    for (const [place, shown] of placesOf(hash, Number(blockNumber))) {
      await page.goto(`${node.url}/studio${place}`)
      await page.getByText(shown).first().waitFor()
      expect([place, await overflowOf(page), await unevenTables(page)]).toEqual([place, 0, []])
    }
    expect(problems).toEqual([])
    await page.close()
  })

  test('moves nothing in the live view at five flashblocks a second', async () => {
    const { page } = await watchedPage(browser)
    await page.addInitScript(RECORD_SHIFTS)
    await page.goto(`${node.url}/studio#/live`)
    await page.locator('.sealed-blocks li').nth(7).waitFor({ timeout: 40_000 })
    await page.evaluate('shifts.length = 0')
    const from = await heightOf(page)
    await expect.poll(() => heightOf(page), { timeout: 20_000 }).toBeGreaterThanOrEqual(from + 3)

    const shifts = (await page.evaluate('shifts')) as readonly string[]
    const score = shifts.reduce((sum, text) => sum + Number.parseFloat(text), 0)
    expect([score < 0.01, ...(score < 0.01 ? [] : shifts)]).toEqual([true])
    await page.close()
  })

  test('shows a flashblock with its hash so far, gas and arrival', async () => {
    const { page, problems } = await watchedPage(browser)
    await page.goto(`${node.url}/studio#/live`)
    const slot = page.locator('.sealed-blocks a').last()
    await slot.waitFor({ timeout: 20_000 })
    await page.locator('.slot.filled').nth(1).click()
    await page.getByRole('heading', { name: /^Flashblock \d/ }).waitFor()
    await page.getByText('Hash so far').waitFor()
    await page.getByText(/^\d\d:\d\d:\d\d\.\d{3} UTC$/).waitFor()
    expect(problems).toEqual([])
    await page.close()
  })

  test('shows when a transaction was pooled, pre-confirmed and sealed', async () => {
    const { page, problems } = await watchedPage(browser)
    await page.goto(`${node.url}/studio#/live`)
    const height = await heightOf(page)
    const rows = page.getByLabel('Newest transactions')
    const newestBlock = async () =>
      Number.parseInt((await rows.locator('a[href*="/block/"]').first().textContent())!, 10)
    // The page did not see how earlier blocks were built.
    await expect.poll(newestBlock, { timeout: 40_000 }).toBeGreaterThan(height)
    await rows.locator('a.hex').first().click()
    const history = page.locator('.history')
    await history.getByText(/^Pre-confirmed in flashblock \d of block \d+\.$/).waitFor()
    await history.getByText(/^Sealed in block \d+\.$/).waitFor()
    expect(await history.locator('.moment').first().textContent()).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/)
    expect(problems).toEqual([])
    await page.close()
  })

  test('keeps the results of the console, and the request in the address', async () => {
    const { page, problems } = await watchedPage(browser)
    await page.goto(`${node.url}/studio#/console?method=eth_getBlockByNumber`)
    await page.getByText('Schemas of parameters and result').click()
    await page.getByText('gasLimit: unsigned integer').waitFor()
    await page.getByLabel('Parameters').fill('["0x0", false]')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('"parentHash"').waitFor()
    const shared = page.url()
    await page.getByRole('link', { name: 'Pool', exact: true }).click()
    await page.getByRole('heading', { name: 'Pool' }).waitFor()
    await page.getByRole('link', { name: 'Console', exact: true }).click()
    await page.getByText('"parentHash"').waitFor()

    const other = await browser.newPage()
    await other.goto(shared)
    await expect.poll(() => other.getByLabel('Parameters').inputValue()).toBe('["0x0", false]')
    expect(await other.getByText('"parentHash"').count()).toBe(0)
    expect(problems).toEqual([])
    await Promise.all([other.close(), page.close()])
  })
})
