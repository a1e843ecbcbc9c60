import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.ts'
import { RECIPIENT } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

let node: StudioNode
let browser: Browser
let accounts: readonly string[]
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  node = await startStudioNode(await freePort(), ['--ephemeral', '--no-mining'])
  browser = await launchBrowser()
  accounts = (await node.request('eth_accounts')) as readonly string[]
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
})

async function open(place: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`${node.url}/studio${place}`)
  return page
}

async function send(from: string, more: object = {}): Promise<string> {
  return String(await node.request('eth_sendTransaction', [{ from, to: RECIPIENT, value: '0x1', ...more }]))
}

/** Sends in batches, so that nonces arrive in order: few transactions behind a gap are pooled. */
async function sendMany(from: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += 50) {
    const requests = Array.from({ length: 50 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_sendTransaction',
      params: [{ from, to: RECIPIENT, gas: '0x5208', nonce: `0x${(start + id).toString(16)}` }],
    }))
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(node.url, { method: 'POST', headers, body: JSON.stringify(requests) })
    expect((await response.json()) as object[]).not.toContainEqual(
      expect.objectContaining({ error: expect.anything() }),
    )
  }
}

function rowOf(page: Page, hash: string): Locator {
  return page.getByRole('row').filter({ has: page.locator(`a[title="${hash}"]`) })
}

describe.skipIf(!hasBrowser)('the view of the pool', () => {
  test('replaces a transaction with a higher fee, and cancels one', async () => {
    const hash = await send(accounts[1]!)
    const page = await open('#/pool')
    await rowOf(page, hash).getByRole('button', { name: 'Replace' }).click()
    const fee = page.getByLabel('Offer at most (gwei)')
    const enough = await fee.inputValue()
    await fee.fill('0.000000001')
    await page.locator('form').getByRole('button', { name: 'Replace' }).click()
    await page.getByRole('alert').filter({ hasText: 'Offer at least 10 % more' }).waitFor()
    await fee.fill(enough)
    await page.getByRole('combobox', { name: /^Send/ }).selectOption('nothing, to the sender itself')
    await page.locator('form').getByRole('button', { name: 'Replace' }).click()

    const link = page.getByText('Replaced by').getByRole('link')
    const replacement = (await link.getAttribute('title'))!
    await rowOf(page, replacement).waitFor()
    await expect.poll(() => rowOf(page, hash).count(), { timeout: 5_000 }).toBe(0)
    expect(await node.request('eth_getTransactionByHash', [replacement])).toMatchObject({
      to: accounts[1],
      value: '0x0',
      nonce: '0x0',
    })
    await page.close()
  })

  test('drops a transaction', async () => {
    const hash = await send(accounts[2]!)
    const page = await open('#/pool')
    await rowOf(page, hash).getByRole('button', { name: 'Drop' }).click()
    await page.getByRole('status').filter({ hasText: 'was dropped' }).waitFor()
    await expect.poll(() => rowOf(page, hash).count()).toBe(0)
    expect(await node.request('eth_getTransactionByHash', [hash])).toBeNull()
    await page.close()
  })

  test('reads a large pool by sender only', async () => {
    const lone = await send(accounts[4]!)
    for (const from of accounts.slice(5)) await sendMany(from, 450)
    const page = await browser.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    await page.goto(`${node.url}/studio#/pool`)
    await page.getByText('choose a sender').waitFor()
    await page.getByLabel('Sender').fill(accounts[4]!)
    await page.getByRole('button', { name: 'Show' }).click()

    await rowOf(page, lone).waitFor()
    expect(page.url()).toContain(`#/pool?sender=${accounts[4]}`)
    expect(asked.filter((body) => body.includes('"txpool_content"'))).toEqual([])
    await page.close()
  })
})
