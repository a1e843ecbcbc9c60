import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.ts'
import { RECIPIENT } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const { hostileSymbols } = (await import(new URL('./hostile-token.mjs', import.meta.url).href)) as {
  hostileSymbols(): readonly [turning: string, endless: string]
}
/** `speak()` */
const SPEAK = '0x50d85315'

let node: StudioNode
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  node = await startStudioNode(await freePort(), ['--ephemeral', '--mining', 'auto'])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
})

interface Receipt {
  readonly contractAddress: string
  readonly transactionHash: string
}

async function send(call: object): Promise<Receipt> {
  const [from] = (await node.request('eth_accounts')) as readonly string[]
  const hash = await node.request('eth_sendTransaction', [{ from, gas: '0x1e8480', ...call }])
  return (await node.request('eth_getTransactionReceipt', [hash])) as Receipt
}

/** The page of a transaction in which a token with hostile symbol was transferred. */
async function transferOf(initCode: string, selector: string): Promise<{ page: Page; token: string }> {
  const { contractAddress: token } = await send({ data: initCode })
  const { transactionHash } = await send({ to: token, data: selector })
  const page = await browser.newPage()
  await page.goto(`${node.url}/studio#/tx/${transactionHash}`)
  return { page, token }
}

/** A node that answers every request with the same nonsense. */
async function startHostileNode(result: unknown): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => {
      body += part.toString()
    })
    request.on('end', () => {
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-allow-headers', '*')
      response.setHeader('content-type', 'application/json')
      if (body === '') return response.end()
      const requests: unknown = JSON.parse(body)
      const answer = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result })
      response.end(JSON.stringify(Array.isArray(requests) ? requests.map(answer) : answer(requests as { id: number })))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

const NONSENSE: readonly unknown[] = [
  null,
  {},
  [null],
  '0x1',
  { number: '0x7', hash: 7, transactions: [null, { hash: '0x1' }, 'x'], timestamp: 'never', gasLimit: null },
]
const PLACES = [
  '#/live',
  '#/blocks',
  '#/block/1',
  `#/tx/0x${'11'.repeat(32)}`,
  `#/account/${RECIPIENT}`,
  `#/account/${RECIPIENT}?tab=tokens`,
  `#/account/${RECIPIENT}?tab=storage`,
  `#/stock/${RECIPIENT}`,
  '#/pool',
  '#/control',
  '#/cluster',
  '#/console',
]

describe.skipIf(!hasBrowser)('the studio and hostile data', () => {
  test('shows a symbol that would turn text around in its own order, beside the address of the token', async () => {
    const { page, token } = await transferOf(hostileSymbols()[0], SPEAK)
    await page.getByText('HTE\ufffdDSU').waitFor()
    await page.locator(`.transfers a[title="${token}"]`).last().waitFor()
    await page.getByText('123.45').waitFor()
    await page.close()
  })

  test('shows the beginning of a symbol of a megabyte', async () => {
    const { page, token } = await transferOf(hostileSymbols()[1], SPEAK)
    await page.locator(`.transfers a[title="${token}"]`).last().waitFor()
    await page.getByText('543.21').waitFor()
    await expect
      .poll(async () => (await page.locator('.transfers strong').textContent())?.trim())
      .toBe(`${'\ufffd'.repeat(24)}…`)
    await page.close()
  })

  test.each(NONSENSE.map((result) => [JSON.stringify(result), result] as const))(
    'keeps its navigation and stays in reach of a node of ?rpc= that answers all with %s',
    async (_, result) => {
      const hostile = await startHostileNode(result)
      const page = await browser.newPage()
      const problems: string[] = []
      page.on('pageerror', ({ message }) => problems.push(message))
      for (const place of PLACES) {
        await page.goto(`${node.url}/studio?rpc=${encodeURIComponent(hostile.url)}${place}`)
        await page.getByText(new URL(hostile.url).host, { exact: true }).waitFor()
        await page.getByRole('heading', { level: 1 }).first().waitFor()
      }
      expect(problems).toEqual([])
      await page.close()
      hostile.server.closeAllConnections()
      hostile.server.close()
    },
  )

  test('shows the chain again after a replica was bootstrapped anew', async () => {
    const port = await freePort()
    const leader = await startStudioNode(await freePort(), ['--ephemeral'])
    const flags = ['--ephemeral', '--from', `${leader.url.replace('http', 'ws')}/replica`]
    const replica = await startStudioNode(port, flags, 'replica')
    const page = await browser.newPage()
    await page.goto(`${replica.url}/studio#/live`)
    await page.locator('.slot.filled').first().waitFor()
    await replica.stop()
    await leader.request('anvil_mine', ['0x32'])
    const height = Number(await leader.request('eth_blockNumber'))

    const again = await startStudioNode(port, flags, 'replica')
    await page.getByRole('status').filter({ hasText: 'live' }).waitFor({ timeout: 20_000 })
    const newest = async () => Number((await page.locator('.figures dd').first().textContent())!.replaceAll(',', ''))
    await expect.poll(newest, { timeout: 20_000 }).toBeGreaterThan(height)
    const numbers = await page.locator('.block-number').allTextContents()
    expect(new Set(numbers).size).toBe(numbers.length)
    await page.close()
    await again.stop()
    await leader.stop()
  })
})
