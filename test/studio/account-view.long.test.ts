import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.ts'
import { RECIPIENT, STOCK } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const ABI = parseAbi(['function transfer(address to, uint256 amount)'])
const POKER = [{ type: 'function', name: 'pokeOften', inputs: [], outputs: [], stateMutability: 'view' }]

let node: StudioNode
let browser: Browser
let folder: string
let sender: string
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  folder = mkdtempSync(join(tmpdir(), 'studio-abi-'))
  mkdirSync(join(folder, 'Poker.sol'))
  writeFileSync(join(folder, 'Poker.sol/Poker.json'), JSON.stringify({ abi: POKER }))
  node = await startStudioNode(await freePort(), ['--ephemeral', '--mining', 'auto', '--abi', folder])
  browser = await launchBrowser()
  sender = ((await node.request('eth_accounts')) as readonly string[])[0]!
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true })
})

async function open(place: string, from = node): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`${from.url}/studio${place}`)
  return page
}

async function send(more: object, from = node): Promise<string> {
  return String(await from.request('eth_sendTransaction', [{ from: sender, to: RECIPIENT, ...more }]))
}

describe.skipIf(!hasBrowser)('the view of an account', () => {
  test('lists its transactions by the index of the node, page by page', async () => {
    const hashes: string[] = []
    for (let value = 1; value <= 30; value += 1) hashes.push(await send({ value: `0x${value.toString(16)}` }))
    const page = await open(`#/account/${RECIPIENT}`)
    await page.getByText('It has no code').waitFor()
    const rows = page.getByRole('table', { name: 'Transactions of the account' }).getByRole('row')
    await rows.nth(1).waitFor()
    expect(await rows.count()).toBe(26)
    await rows.nth(1).locator(`a[title="${hashes[29]}"]`).waitFor()
    await rows.nth(1).getByText('success').waitFor()

    await page.getByRole('link', { name: 'Older' }).click()
    await rows.locator(`a[title="${hashes[0]}"]`).waitFor()
    expect(page.url()).toMatch(/tab=transactions&before=\d+$/)
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0)
    await page.close()
  })

  test('searches the newest blocks of a node without an index, and says so', async () => {
    const page = await browser.newPage()
    await page.route(`${node.url}/`, async (route) => {
      const isRefused = /"ots_|rpc_modules/.test(route.request().postData() ?? '')
      if (!isRefused) return route.continue()
      const json = JSON.parse(route.request().postData()!) as
        | { id: number; method: string }
        | { id: number; method: string }[]
      const answers = await Promise.all(
        [json].flat().map(async (request) => {
          if (/^(?:ots_|rpc_modules)/.test(request.method)) {
            return { jsonrpc: '2.0', id: request.id, error: { code: -32601, message: 'the method does not exist' } }
          }
          const body = JSON.stringify(request)
          const response = await fetch(node.url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          })
          return (await response.json()) as object
        }),
      )
      await route.fulfill({ json: Array.isArray(json) ? answers : answers[0] })
    })
    const hash = await send({ value: '0x5' })
    await page.goto(`${node.url}/studio#/account/${RECIPIENT}?tab=transactions`)
    await page.locator(`a[title="${hash}"]`).waitFor()
    await page.getByText('This node has no index by account').waitFor()
    await page.close()
  })

  test('shows its tokens by transfers, and the stocks that it has from the genesis', async () => {
    const data = encodeFunctionData({
      abi: ABI,
      functionName: 'transfer',
      args: [RECIPIENT, 1_500_000_000_000_000_000n],
    })
    await send({ to: STOCK, data })
    const page = await open(`#/account/${RECIPIENT}?tab=tokens`)
    const row = page.getByRole('row').filter({ hasText: 'HLCYNd' })
    await row.getByText('1.5', { exact: true }).waitFor()
    await page.goto(`${node.url}/studio#/account/${sender}?tab=tokens`)
    await row.getByText('999,998.5', { exact: true }).waitFor()
    await row.getByRole('link', { name: 'stock' }).click()
    await page.getByText('1 share per token').first().waitFor()
    await page.close()
  })

  test('offers the interfaces of the artifacts that --abi names', async () => {
    const page = await open(`#/account/${STOCK}`)
    await page.getByRole('combobox', { name: /^ABI/ }).selectOption('Poker')
    const value = page.getByRole('row').filter({ hasText: 'pokeOften' })
    await value.getByText('reverts').waitFor()
    await page.close()
  })
})
