import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { encodeFunctionData, parseAbi, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, type Scheme, seriousViolations, type WatchedPage, watchedPage } from './browser.ts'
import { overflowOf, placesOf, RECIPIENT, STOCK } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const MARKUP = '<img src=x onerror="globalThis.wasHacked=1">'
const { hostileToken } = (await import(new URL('./hostile-token.mjs', import.meta.url).href)) as {
  hostileToken(markup: string): `0x${string}`
}
const HOSTILE_ABI = parseAbi(['function speak()', 'function fail()', 'event Note(string text)'])
// The first development account.
const SENDER = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

let node: StudioNode
let browser: Browser
let port: number
let directory: string
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  directory = mkdtempSync(join(tmpdir(), 'studio-'))
  port = await freePort()
  node = await start()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
  if (directory !== undefined) rmSync(directory, { recursive: true })
})

function start(): Promise<StudioNode> {
  return startStudioNode(port, ['--datadir', directory])
}

/** A page at a place of the studio. */
async function open(place: string, scheme: Scheme = 'light'): Promise<WatchedPage> {
  const watched = await watchedPage(browser, scheme)
  await watched.page.goto(`${node.url}/studio${place}`)
  await watched.page.getByRole('status').filter({ hasText: 'live' }).waitFor()
  return watched
}

async function closed({ page, problems, addresses }: WatchedPage): Promise<void> {
  expect(problems).toEqual([])
  const hosts = new Set(addresses.map((address) => new URL(address).host))
  expect([...hosts]).toEqual([new URL(node.url).host])
  await page.close()
}

async function sendRaw(more: { to?: `0x${string}`; data?: `0x${string}`; value?: bigint } = {}): Promise<string> {
  const nonce = Number(await node.request('eth_getTransactionCount', [SENDER.address, 'pending']))
  const raw = await SENDER.signTransaction({
    chainId: Number(await node.request('eth_chainId')),
    nonce,
    to: RECIPIENT,
    gas: 200_000n,
    maxFeePerGas: 10_000_000_000n,
    ...more,
  })
  return String(await node.request('eth_sendRawTransaction', [raw]))
}

interface Receipt {
  readonly blockNumber: string
  readonly contractAddress: `0x${string}`
}

async function receiptOf(hash: string): Promise<Receipt> {
  for (;;) {
    const receipt = await node.request('eth_getTransactionReceipt', [hash])
    if (receipt !== null) return receipt as Receipt
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** One of several: a busy machine may delay a single flashblock. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

/** Deploys the hostile token. */
async function deployHostile(): Promise<`0x${string}`> {
  const data = hostileToken(MARKUP)
  const hash = await node.request('eth_sendTransaction', [{ from: SENDER.address, data, gas: '0x1e8480' }])
  return (await receiptOf(String(hash))).contractAddress
}

describe.skipIf(!hasBrowser)('the studio', () => {
  test('shows a transaction in its flashblock while the block is open', async () => {
    const watched = await open('#/live')
    const { page } = watched
    await page.locator('.slot.filled').first().waitFor()

    const hash = await sendRaw({ value: parseEther('1.25') })

    const row = page.getByRole('row').filter({ has: page.locator(`a[title="${hash}"]`) })
    await row.waitFor({ timeout: 5_000 })
    await expect.poll(() => row.textContent()).toContain('1.25')
    const { blockNumber } = await receiptOf(hash)
    expect(await row.locator('a').nth(1).textContent()).toMatch(new RegExp(`^${Number(blockNumber)} / \\d+$`))
    await closed(watched)
  })

  test('pauses, steps and resumes', async () => {
    const watched = await open('#/live')
    const { page } = watched
    await page.locator('.slot.filled').nth(1).waitFor()
    await page.keyboard.press('p')
    await page.getByText(/^[3-9] waiting/).waitFor()
    const shown = await page.locator('.open-block').textContent()
    expect(await page.locator('.open-block').textContent()).toBe(shown)
    await page.keyboard.press('s')
    await expect.poll(() => page.locator('.open-block').textContent()).not.toBe(shown)
    await page.keyboard.press('p')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await closed(watched)
  })

  test('finds blocks and transactions by search, and leads from one to the other', async () => {
    const hash = await sendRaw({ value: 3n })
    const { blockNumber } = await receiptOf(hash)
    const watched = await open('#/blocks')
    const { page } = watched
    await page.keyboard.press('/')
    await page.keyboard.type(hash)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Transaction' }).waitFor()
    await page.getByText('0.000000000000000003 ETH').waitFor()
    await page.getByRole('link', { name: Number(blockNumber).toLocaleString('en-US'), exact: true }).click()
    await page.getByRole('heading', { name: `Block ${Number(blockNumber)}` }).waitFor()
    await page.locator(`a[title="${hash}"]`).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('no sense')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'Search for a block number' }).waitFor()
    await closed(watched)
  })

  test('keeps hostile symbols, logs and revert strings text', async () => {
    const token = await deployHostile()
    const spoken = await sendRaw({ to: token, data: encodeFunctionData({ abi: HOSTILE_ABI, functionName: 'speak' }) })
    const failed = await sendRaw({ to: token, data: encodeFunctionData({ abi: HOSTILE_ABI, functionName: 'fail' }) })
    await receiptOf(failed)
    const watched = await open(`#/tx/${spoken}`)
    const { page } = watched
    await page.getByText('123.45').waitFor()
    await page.getByText('<img src=x onerror="glob').waitFor()
    await page.goto(`${node.url}/studio#/tx/${spoken}?tab=logs`)
    await page.getByText('Unknown event').waitFor()
    const abi = { name: 'Hostile.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(HOSTILE_ABI)) }
    await page.locator('input[type=file]').setInputFiles(abi)
    await page.getByRole('cell', { name: MARKUP }).waitFor()
    await page.goto(`${node.url}/studio#/tx/${failed}`)
    await page.getByText(`The transaction failed. ${MARKUP}`).waitFor()
    await page.goto(`${node.url}/studio#/tx/${failed}?tab=calls`)
    await page.getByRole('cell', { name: MARKUP }).waitFor()
    expect(await page.locator('#app img').count()).toBe(0)
    expect(await page.evaluate(() => 'wasHacked' in globalThis)).toBe(false)
    await closed(watched)
  })

  test('shows calls, state changes and all fields of a transaction', async () => {
    const abi = parseAbi(['function transfer(address to, uint256 amount)'])
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [RECIPIENT, 10n ** 15n] })
    const hash = await sendRaw({ to: STOCK, data })
    await receiptOf(hash)
    const watched = await open(`#/tx/${hash}`)
    const { page } = watched
    await page.getByText('0.001').first().waitFor()
    await page.getByText('HLCYNd').first().waitFor()
    await page.getByRole('link', { name: 'Input' }).click()
    await page.getByRole('cell', { name: '0.001 HLCYNd 1000000000000000' }).waitFor()
    await page.getByRole('link', { name: 'Calls' }).click()
    await page.getByText('DELEGATECALL').waitFor()
    await page.getByRole('button', { name: 'Hide the 1 calls of this one' }).click()
    await expect.poll(() => page.getByText('DELEGATECALL').count()).toBe(0)
    await page.getByRole('link', { name: 'State changes' }).click()
    await page.getByRole('cell', { name: 'Nonce' }).first().waitFor()
    await page.getByRole('link', { name: 'All fields' }).click()
    await page.getByText('maxPriorityFeePerGas').waitFor()
    await closed(watched)
  })

  test('calls a contract, sends it a transaction, and reads its storage', async () => {
    const watched = await open(`#/account/${STOCK}`)
    const { page } = watched
    await page.getByRole('cell', { name: '1,000,000 HLCYNd 1000000000000000000000000' }).first().waitFor()
    const balance = page.locator('details').filter({ hasText: 'toScaledBalance(' })
    await balance.locator('summary').click()
    await balance.getByLabel('rawBalance uint256').fill('1000')
    await balance.getByRole('button', { name: 'Call' }).click()
    await balance.getByRole('cell', { name: 'uint256' }).waitFor()

    await page.getByText('transfer(address to, uint256 amount)').click()
    const form = page.locator('details[open]').filter({ hasText: 'transfer(address to' })
    await form.getByLabel('to address').fill(RECIPIENT)
    await form.getByLabel('amount uint256').fill('1.5')
    await form.getByRole('button', { name: 'Send transaction' }).click()
    await form.getByRole('alert').filter({ hasText: 'write a whole number' }).waitFor()
    await form.getByLabel('amount uint256').fill('1_000')
    const milliseconds: number[] = []
    for (let sent = ''; milliseconds.length < 5; ) {
      await form.getByRole('button', { name: 'Send transaction' }).click()
      const link = form.getByRole('status').getByRole('link').first()
      await expect.poll(() => link.getAttribute('title', { timeout: 5_000 })).not.toBe(sent)
      sent = (await link.getAttribute('title'))!
      const seen = await form.getByText(/pre-confirmed in flashblock \d+ after \d+ ms/).textContent()
      const [, flashblock, time] = /in flashblock (\d+) after (\d+) ms/.exec(seen!)!
      const status = (await node.request('tickertape_transactionStatus', [sent])) as { flashblockIndex: string }
      expect(Number(status.flashblockIndex)).toBe(Number(flashblock))
      milliseconds.push(Number(time))
    }
    expect(medianOf(milliseconds)).toBeLessThan(400)
    await form.getByRole('status').getByRole('link').first().click()
    await page.getByText('Token transfers').waitFor()

    await page.goto(`${node.url}/studio#/account/${SENDER.address}`)
    await page.getByText('Account without code').waitFor()
    await page.goto(`${node.url}/studio#/account/${await deployHostile()}?tab=storage`)
    await page.getByLabel('Slot').fill('1')
    await page.getByRole('button', { name: 'Read' }).click()
    await page.getByRole('row', { name: '0x1 0x2 2 number', exact: true }).waitFor()
    await closed(watched)
  })

  test('shows the stocks with exact amounts, and finds them by symbol', async () => {
    const watched = await open('#/stocks')
    const { page } = watched
    await page.getByText('2,500,000.125').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('mrdtld')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'MRDTLd' }).waitFor()
    expect(page.url()).toContain('#/stock/0x5700000000000000000000000000000000000002')
    await closed(watched)
  })

  test('shows what a pooled transaction waits for', async () => {
    const nonce = 1_000 + Number(await node.request('eth_getTransactionCount', [SENDER.address, 'pending']))
    const call = { from: SENDER.address, to: RECIPIENT, value: '0x1', nonce: `0x${nonce.toString(16)}`, gas: '0x5208' }
    const hash = await node.request('eth_sendTransaction', [call])
    const watched = await open('#/pool')
    const { page } = watched
    const row = page.getByRole('row').filter({ has: page.locator(`a[title="${hash}"]`) })
    await row.getByText('a lower nonce').waitFor()
    await page.getByRole('button', { name: /^pending/ }).click()
    await expect.poll(() => row.count()).toBe(0)
    await closed(watched)
  })

  test('sends requests from the console, and copies them as commands', async () => {
    const watched = await open('#/console?method=eth_getBlockByNumber')
    const { page } = watched
    await page.getByText('fullTransactions').waitFor()
    await page.getByLabel('Parameters').fill('["0x0", false]')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('"parentHash"').waitFor()
    await page.getByLabel('Parameters').fill('nonsense')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').filter({ hasText: 'JSON array' }).waitFor()
    await page.getByLabel('Parameters').fill('[]')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('"code": -32602').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).first().click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain("curl -s 'http://127.0.0.1")
    await closed(watched)
  })

  test('controls a development node: funds, blocks, snapshots', async () => {
    const watched = await open('#/control')
    const { page } = watched
    const faucet = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Faucet' }) })
    await faucet.getByLabel('Address').fill('0x00000000000000000000000000000000000000fa')
    await faucet.getByLabel('Amount').fill('2.000000000000000001')
    await faucet.getByRole('button').click()
    await faucet.getByText('It has 2.000000000000000001 ETH now.').waitFor()
    await faucet.getByLabel('Address').fill('0x12')
    await faucet.getByRole('button').click()
    await faucet.getByRole('alert').filter({ hasText: '40 hex digits' }).waitFor()

    await page.getByRole('button', { name: 'Take one' }).click()
    await page.getByText(/^Snapshot 0x\d+ was taken/).waitFor()
    const before = Number(await node.request('eth_blockNumber'))
    await page.getByLabel('Number of blocks').fill('7')
    await page.getByRole('button', { name: 'Mine' }).click()
    await page.getByText('7 blocks were made.').waitFor()
    expect(Number(await node.request('eth_blockNumber'))).toBeGreaterThanOrEqual(before + 7)
    await page
      .getByRole('button', { name: /^Return to/ })
      .first()
      .click()
    await page.getByText(/^Discard everything after block/).waitFor()
    expect(Number(await node.request('eth_blockNumber'))).toBeGreaterThanOrEqual(before + 7)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText(/^The chain is as it was at snapshot/).waitFor()
    expect(Number(await node.request('eth_blockNumber'))).toBeLessThan(before + 7)
    await closed(watched)
  })

  test('shows a replica with its source, the chain on its page, and its lag on the page of the leader', async () => {
    const replica = await startStudioNode(
      await freePort(),
      ['--ephemeral', '--from', `${node.url.replace('http', 'ws')}/replica`],
      'replica',
    )
    const page = await browser.newPage()
    await page.goto(`${replica.url}/studio#/cluster`)
    await page.getByText(`${node.url.replace('http', 'ws')}/replica`).waitFor()
    await page.getByText('ready', { exact: true }).waitFor()
    await page.goto(`${replica.url}/studio#/live`)
    await page.locator('.slot.filled').first().waitFor()
    await page.goto(`${node.url}/studio#/cluster`)
    await page.getByRole('heading', { name: 'Replicas' }).waitFor()
    await page.getByText('up to date').waitFor()
    await page.getByRole('img', { name: 'Records behind' }).waitFor()
    await page.close()
    await replica.stop()
  })

  test('shows a reorganisation: blocks of the old chain leave the live view', async () => {
    const watched = await open('#/live')
    const { page } = watched
    await page.locator('.sealed-blocks li').nth(1).waitFor()
    await node.request('anvil_reorg', [2, []])
    await page.getByText(/^[1-9]\d* replaced blocks/).waitFor()
    const numbers = await page.locator('.block-number').allTextContents()
    expect(new Set(numbers).size).toBe(numbers.length)
    const hash = await sendRaw({ value: 9n })
    await page.locator(`a[title="${hash}"]`).waitFor()
    await closed(watched)
  })

  test.each(['light', 'dark'] as const)('has no serious fault of accessibility in %s colours', async (scheme) => {
    const hash = await sendRaw({ value: 1n })
    const { blockNumber } = await receiptOf(hash)
    const watched = await open('#/live', scheme)
    const { page } = watched
    await page.locator('.slot.filled').nth(1).waitFor()
    const found: string[] = []
    for (const [place, shown] of placesOf(hash, Number(blockNumber))) {
      await page.goto(`${node.url}/studio${place}`)
      await page.getByText(shown).first().waitFor()
      found.push(...(await seriousViolations(page)).map((violation) => `${place} ${violation}`))
    }
    expect(found).toEqual([])
    await closed(watched)
  })

  test('fits narrow screens', async () => {
    const hash = await sendRaw({ value: 1n })
    const { blockNumber } = await receiptOf(hash)
    const watched = await open('#/live')
    const { page } = watched
    await page.setViewportSize({ width: 380, height: 700 })
    for (const [place, shown] of placesOf(hash, Number(blockNumber))) {
      await page.goto(`${node.url}/studio${place}`)
      await page.getByText(shown).first().waitFor()
      expect([place, await overflowOf(page)]).toEqual([place, 0])
    }
    await closed(watched)
  })

  test('shows another node that ?rpc= names', async () => {
    const other = await startStudioNode(await freePort(), ['--ephemeral', '--compat', 'anvil', '--chain-id', '4242'])
    const page = await browser.newPage()
    await page.goto(`${node.url}/studio?rpc=${encodeURIComponent(other.url)}#/blocks`)
    await page.getByText('chain 4242').waitFor()
    await page.getByRole('link', { name: '0', exact: true }).waitFor()
    await page.close()
    await other.stop()
  })

  test('says that it is stale while the node is away, and goes on by itself when it is back', async () => {
    const { page } = await open('#/live')
    await page.locator('.slot.filled').first().waitFor()
    await node.stop()
    await page.getByRole('alert').filter({ hasText: 'The node does not answer' }).waitFor({ timeout: 20_000 })
    node = await start()
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor({ timeout: 20_000 })
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    const hash = await sendRaw({ value: 5n })
    await page.locator(`a[title="${hash}"]`).waitFor()
    await page.close()
  })
})
