import type { Browser, Page } from 'playwright-core'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.ts'
import { STOCK } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const ABI = parseAbi(['function transfer(address to, uint256 amount)', 'function mint(address to, uint256 amount)'])
/** After a 2-for-1 split. */
const SPLIT_STOCK = '0x5700000000000000000000000000000000000003'
const ELEVEN = 1_125_000_000n

let node: StudioNode
let browser: Browser
let accounts: readonly `0x${string}`[]
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  node = await startStudioNode(await freePort(), ['--ephemeral', '--mining', 'auto'])
  browser = await launchBrowser()
  accounts = (await node.request('eth_accounts')) as readonly `0x${string}`[]
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

function send(from: string, functionName: 'transfer' | 'mint', to = SPLIT_STOCK): Promise<unknown> {
  const data = encodeFunctionData({ abi: ABI, functionName, args: [accounts[1]!, ELEVEN] })
  return node.request('eth_sendTransaction', [{ from, to, data, gas: '0x493e0' }])
}

describe.skipIf(!hasBrowser)('names in the studio', () => {
  test('stocks, accounts and amounts in tokens and shares stand in place of hex', async () => {
    const page = await open(`#/tx/${await send(accounts[0]!, 'transfer')}`)
    await page.locator('.facts').getByText('11.25 QLBKFd').waitFor()
    await page.locator('.transfers').getByRole('link', { name: 'Account 1' }).waitFor()
    await page.getByRole('link', { name: /^Logs/ }).click()
    await page.getByText('11.25 QLBKFd (22.5 shares)').waitFor()

    await page.goto(`${node.url}/studio#/block/latest`)
    const row = page.getByRole('row').filter({ hasText: 'transfer' })
    await row.getByRole('link', { name: 'QLBKFd' }).waitFor()
    await row.getByText('11.25 QLBKFd').waitFor()
    await page.close()
  })

  test('a failed transaction names the role that its sender lacks', async () => {
    const hash = await send(accounts[3]!, 'mint')
    const page = await open(`#/tx/${hash}`)
    const notice = page.getByRole('status').filter({ hasText: 'The transaction failed.' })
    await notice.getByText('neededRole: MINT_ROLE').waitFor()
    expect(await notice.textContent()).toContain('(Account 3)')
    await page.close()
  })

  test('the page of a proxy names the contract whose code it runs, and has the functions of that contract', async () => {
    const page = await open(`#/account/${STOCK}`)
    await page.getByRole('heading', { name: 'HLCYNd', level: 1 }).waitFor()
    await page.locator('.facts').getByText('StockToken').waitFor()
    const supply = page.getByRole('row').filter({ hasText: 'totalSupply' }).first()
    await supply.getByText('1,000,000 HLCYNd').waitFor()
    await page.getByText('hasRole(').waitFor()
    await page.close()
  })
})
