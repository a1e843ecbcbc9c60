import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixtureBuild } from '../debugger/solidity-fixtures.ts'
import { hasBrowser, launchBrowser, type Scheme, seriousViolations, type WatchedPage, watchedPage } from './browser.ts'
import { DebuggerNode, input, writeBuilds } from './debugger-node.ts'
import { overflowOf } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const plain = fixtureBuild()
const throughYul = fixtureBuild({ viaIR: true, optimizer: { enabled: true } })

/** Pixels. */
const LINE_HEIGHT = 24

let node: StudioNode
let chain: DebuggerNode
let browser: Browser
let pool: string
let artifacts: string | undefined
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  artifacts = mkdtempSync(join(tmpdir(), 'debugger-'))
  writeBuilds(artifacts, [plain, throughYul])
  node = await startStudioNode(await freePort(), ['--ephemeral', '--mining', 'auto', '--abi', artifacts])
  const [sender] = (await node.request('eth_accounts')) as readonly string[]
  chain = new DebuggerNode(node, sender!)
  pool = await chain.deployPool(plain)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
  if (artifacts !== undefined) rmSync(artifacts, { recursive: true })
})

/** Text of the marked line. */
async function lineOf(page: Page): Promise<string> {
  return ((await page.locator('.code-line[aria-current] .code-text').textContent()) ?? '').trim()
}

/** Continues to a line: only the lines around the visible ones exist. */
async function continueTo(page: Page, path: string, text: string): Promise<void> {
  const lines = plain.input.sources![path]!.content!.split('\n')
  const index = lines.findIndex((line) => line.includes(text))
  await page.getByLabel('File').selectOption(path)
  await page.locator('.code-lines').evaluate((element, top) => element.scrollTo(0, top), index * LINE_HEIGHT)
  await page.getByRole('button', { name: String(index + 1), exact: true }).click()
  await expect.poll(() => lineOf(page)).toBe(lines[index]!.trim())
}

/** A part of the debugger by its title. */
function pane(page: Page, title: string) {
  return page.locator('section.panel').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
}

function row(page: Page, title: string, name: string) {
  return pane(page, title)
    .locator('tr')
    .filter({ has: page.getByText(name, { exact: true }) })
}

async function debug(hash: string, scheme: Scheme = 'light'): Promise<WatchedPage> {
  const watched = await watchedPage(browser, scheme)
  await watched.page.goto(`${node.url}/studio#/debug/${hash}`)
  await pane(watched.page, 'Call stack').waitFor()
  return watched
}

const failedSwap = () => chain.send(pool, input(plain, 'Pool', 'swap', [0, 5_000n, 6_000n]))

describe.skipIf(!hasBrowser)('the debugger', () => {
  test('leads from a failed swap to the line that reverted, with its variables, storage and gas', async () => {
    const hash = await failedSwap()
    const { page, problems, addresses } = await watchedPage(browser)
    await page.goto(`${node.url}/studio#/tx/${hash}`)
    const isScript = (address: string) => address.endsWith('/debugger.js')
    await page.getByText('The transaction failed.').waitFor()
    expect(addresses.filter(isScript)).toEqual([])

    await page.getByRole('link', { name: 'Debug', exact: true }).click()
    await pane(page, 'Call stack').waitFor()
    expect(await lineOf(page)).toBe('bool wasLocked = locked;')
    await page.keyboard.press('n')
    await expect.poll(() => lineOf(page)).toBe('require(!wasLocked, reason);')
    await page.keyboard.press('r')

    await expect.poll(() => lineOf(page)).toBe('revert SlippageExceeded(amountOut, minimumOut);')
    await row(page, 'Local variables', 'amountOut').getByText('4960').waitFor()
    await row(page, 'Storage', 'reserves.first').getByText('1000000').waitFor()
    await row(page, 'Arguments', 'direction').getByText('FirstToSecond').waitFor()
    await pane(page, 'Call stack').getByRole('button', { name: 'Pool._requireOutput' }).waitFor()
    await pane(page, 'Gas by function').locator('.flame-box', { hasText: 'SwapMath.amountOut' }).waitFor()
    await expect.poll(() => page.url()).toMatch(/\?step=\d+$/)
    expect(addresses.filter(isScript)).toHaveLength(1)
    expect(problems).toEqual([])
    await page.close()
  })

  test('steps into, over, out and back, to a line that is clicked, and to a function of the flame graph', async () => {
    const { page, problems } = await debug(await failedSwap())
    const press = (name: string) => page.getByRole('toolbar').getByRole('button', { name }).click()
    await continueTo(page, 'src/Pool.sol', '_reserves(direction);')

    await press('Into')
    await expect.poll(() => lineOf(page)).toBe('Reserves memory current = reserves;')
    await press('Out')
    await expect.poll(() => lineOf(page)).toContain('_reserves(direction);')
    await press('Over')
    await expect.poll(() => lineOf(page)).toBe('uint256 fee = SwapMath.feeOf(amountIn);')
    await press('Back')
    await expect.poll(() => lineOf(page)).toContain('_reserves(direction);')
    const place = await page.locator('.debug-place').textContent()
    await press('Next opcode')
    await expect.poll(() => page.locator('.debug-place').textContent()).not.toBe(place)
    await press('Opcode before')
    await expect.poll(() => page.locator('.debug-place').textContent()).toBe(place)

    await page.locator('.flame-box', { hasText: 'SwapMath.feeOf' }).locator('rect').click()
    await expect.poll(() => page.getByLabel('File').locator('option:checked').textContent()).toBe('src/SwapMath.sol')
    await pane(page, 'Call stack').getByRole('button', { name: 'SwapMath.feeOf' }).waitFor()
    await page.getByRole('slider', { name: 'Step' }).fill('0')
    await page.getByText(/^step 0 of /).waitFor()
    await page.getByRole('slider', { name: 'Step' }).press('i')
    await page.getByText(/^step 1 of /).waitFor()
    expect(problems).toEqual([])
    await page.close()
  })

  test('shows the implementation of a proxy with the storage of the proxy', async () => {
    const ledger = await chain.deploy(plain, 'Ledger')
    const proxy = await chain.deploy(plain, 'LedgerProxy', [ledger])
    const hash = await chain.send(proxy, input(plain, 'Ledger', 'add', ['rent', [5n, -2n]]))
    const { page, problems } = await debug(hash)

    await continueTo(page, 'src/Ledger.sol', 'total += uint64(change)')

    await pane(page, 'Call stack').getByRole('button', { name: 'LedgerProxy.fallback' }).waitFor()
    await row(page, 'Storage', 'counts["rent"]').getByText('1', { exact: true }).waitFor()
    await row(page, 'Local variables', 'label').first().getByText('"rent"').waitFor()
    expect(problems).toEqual([])
    await page.close()
  })

  test('says which variables code through Yul does not tell, and leads to its line', async () => {
    const yulPool = await chain.deployPool(throughYul)
    const hash = await chain.send(yulPool, input(throughYul, 'Pool', 'swap', [0, 5_000n, 6_000n]))
    const { page, problems } = await debug(hash)

    await page.keyboard.press('r')

    await expect.poll(() => lineOf(page)).toBe('revert SlippageExceeded(amountOut, minimumOut);')
    await pane(page, 'Call stack').getByText('inlined').waitFor()
    await pane(page, 'Local variables').getByText('compiled through Yul (viaIR)').waitFor()
    expect(problems).toEqual([])
    await page.close()
  })

  test('shows opcodes of a contract without sources, and how to verify it', async () => {
    const call = encodeURIComponent(JSON.stringify({ data: '0x600160020160005260206000fd' }))
    const { page, problems } = await watchedPage(browser)
    await page.goto(`${node.url}/studio#/debug?call=${call}`)

    await page.getByText('tickertape verify-source').waitFor()
    expect(await pane(page, 'Source').count()).toBe(0)
    await page.keyboard.press('r')
    await page.locator('.debug-opcodes [aria-current]').getByText('REVERT').waitFor()
    await pane(page, 'Memory').getByText('32 bytes').waitFor()
    // The answer for a contract that is not verified.
    expect(problems).toEqual([expect.stringContaining('404')])
    await page.close()
  })

  test('is reached from a call of a contract', async () => {
    const token = await chain.deploy(plain, 'Token', ['Third', 5n])
    const { page, problems } = await watchedPage(browser)
    await page.goto(`${node.url}/studio#/account/${token}?tab=contract`)
    await page.locator('summary', { hasText: 'balanceOf(' }).click()
    const form = page.locator('details[open]', { has: page.locator('summary', { hasText: 'balanceOf(' }) })
    await form.getByRole('textbox').fill(chain.sender)
    await form.getByRole('button', { name: 'Call' }).click()

    await form.getByRole('link', { name: 'Debug this call' }).click()

    await pane(page, 'Call stack').getByRole('button', { name: 'Token.balanceOf' }).waitFor()
    await expect.poll(() => page.url()).toMatch(/block=0x[0-9a-f]+&step=\d+$/)
    expect(problems).toEqual([])
    await page.close()
  })

  test('is reached from a failed call of the console', async () => {
    const { page, problems } = await watchedPage(browser)
    const data = input(plain, 'Pool', 'swap', [0, 5_000n, 6_000n])
    const params = encodeURIComponent(JSON.stringify([{ from: chain.sender, to: pool, data }, 'latest']))
    await page.goto(`${node.url}/studio#/console?method=eth_call&params=${params}`)
    await page.getByRole('button', { name: 'Send', exact: true }).click()

    await page.getByRole('link', { name: 'Debug', exact: true }).click()

    await pane(page, 'Source').waitFor()
    await page.keyboard.press('r')
    await expect.poll(() => lineOf(page)).toBe('revert SlippageExceeded(amountOut, minimumOut);')
    expect(problems).toEqual([])
    await page.close()
  })

  test.each(['light', 'dark'] as const)('has no accessibility problems in %s, and fits phones', async (scheme) => {
    const { page, problems } = await debug(await failedSwap(), scheme)
    await page.keyboard.press('r')
    await expect.poll(() => lineOf(page)).toBe('revert SlippageExceeded(amountOut, minimumOut);')

    expect(await seriousViolations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflowOf(page)).toBe(0)
    expect(await seriousViolations(page)).toEqual([])
    expect(problems).toEqual([])
    await page.close()
  })
})
