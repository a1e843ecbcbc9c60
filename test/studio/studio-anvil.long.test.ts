import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DevelopmentNode, installedDevelopmentPeers, startAutominingAnvil } from '../examples/development-nodes.ts'
import { hasBrowser, launchBrowser } from './browser.ts'
import { RECIPIENT } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const hasAnvil = installedDevelopmentPeers().anvil
if (!hasAnvil) console.warn('skipped: the studio of Anvil (run `npm run bench:peers`)')

let host: StudioNode
let anvil: DevelopmentNode
let browser: Browser
const isRunnable = hasBrowser && hasAnvil
beforeAll(async () => {
  if (!isRunnable) return
  prepareStudio()
  host = await startStudioNode(await freePort(), ['--ephemeral'])
  anvil = await startAutominingAnvil()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await anvil?.stop()
  await host?.stop()
})

async function request(method: string, params: readonly unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${anvil.port}`, { method: 'POST', headers, body })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** Sends ether to an account, in a block of its own. */
async function sendEther(): Promise<{ readonly hash: string; readonly block: number }> {
  const [from] = (await request('eth_accounts')) as readonly string[]
  const hash = String(await request('eth_sendTransaction', [{ from, to: RECIPIENT, value: '0x1bc16d674ec80000' }]))
  for (;;) {
    const receipt = (await request('eth_getTransactionReceipt', [hash])) as { readonly blockNumber: string } | null
    if (receipt !== null) return { hash, block: Number(receipt.blockNumber) }
  }
}

function placeOf(place: string): string {
  return `${host.url}/studio?rpc=${encodeURIComponent(`http://127.0.0.1:${anvil.port}`)}${place}`
}

async function open(place: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(placeOf(place))
  return page
}

describe.skipIf(!isRunnable)('the studio of Anvil', () => {
  test('shows its blocks and transactions as they are made', async () => {
    const page = await open('#/live')
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor()
    const { hash, block } = await sendEther()
    await page.getByText('This node announces no flashblocks').waitFor()
    await page.locator(`a[title="${hash}"]`).waitFor()
    await page.goto(placeOf('#/blocks'))
    await page.getByRole('link', { name: String(block), exact: true }).click()
    await page.getByRole('heading', { name: `Block ${block}` }).waitFor()
    await page.locator(`a[title="${hash}"]`).click()
    await page.getByText('2 ETH').first().waitFor()
    await page.getByRole('link', { name: 'Calls' }).click()
    await page.getByText('in the order of execution').waitFor()
    await page.close()
  })

  test('shows accounts', async () => {
    await sendEther()
    const page = await open(`#/account/${RECIPIENT}`)
    const balance = BigInt(String(await request('eth_getBalance', [RECIPIENT, 'latest']))) / 10n ** 18n
    await page.getByText(`${balance} ETH`).first().waitFor()
    await page.getByText('Account without code').waitFor()
    await page.close()
  })

  test('sends requests from the console', async () => {
    const page = await open('#/console?method=eth_getBalance')
    await page.getByText('This node does not describe its methods').waitFor()
    await page.getByLabel('Parameters').fill(`["${RECIPIENT}", "latest"]`)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(String(await request('eth_getBalance', [RECIPIENT, 'latest']))).waitFor()
    await page.close()
  })

  test('says what needs more than the methods of Anvil', async () => {
    const page = await open('#/stocks')
    await page.getByText('This node has no stock service').waitFor()
    await page.goto(placeOf('#/cluster'))
    await page.getByText('This node has no page /ready').waitFor()
    await page.goto(placeOf('#/pool'))
    await page.getByText('Waits for').waitFor()
    await page.goto(placeOf('#/control'))
    await page.getByText('Faucet').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.close()
  })
})
