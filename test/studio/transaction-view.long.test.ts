import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.ts'
import { RECIPIENT } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

let node: StudioNode
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  node = await startStudioNode(await freePort(), ['--ephemeral'])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
})

interface Status {
  readonly status: string
  readonly flashblockIndex: string
  readonly blockNumber: string
}

describe.skipIf(!hasBrowser)('the view of a transaction', () => {
  test('shows flashblock and times of a transaction that was sealed before the page was opened', async () => {
    const [from] = (await node.request('eth_accounts')) as readonly string[]
    const hash = String(await node.request('eth_sendTransaction', [{ from, to: RECIPIENT, value: '0x5' }]))
    const status = async () => (await node.request('tickertape_transactionStatus', [hash])) as Status
    await expect.poll(async () => (await status()).status, { timeout: 10_000 }).toBe('sealed')
    const { flashblockIndex, blockNumber } = await status()
    const page = await browser.newPage()

    await page.goto(`${node.url}/studio#/tx/${hash}`)

    const steps = page.getByRole('list', { name: 'Status' })
    const moment = String.raw` · \d\d:\d\d:\d\d\.\d{3}$`
    const flashblock = `Flashblock ${Number(flashblockIndex)} of block ${Number(blockNumber)}`
    await steps.getByText(new RegExp(`^${flashblock}${moment}`)).waitFor()
    await steps.getByText(new RegExp(`^Block ${Number(blockNumber)}${moment}`)).waitFor()
    await page.getByText(`Pre-confirmed in ${flashblock.toLowerCase()}.`).waitFor()

    await page.getByRole('link', { name: 'Show its flashblock' }).click()

    await page.getByRole('heading', { name: `Transactions of flashblock ${Number(flashblockIndex)}` }).waitFor()
    await page.locator(`a[title="${hash}"]`).waitFor()
    await page.close()
  })
})
