import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.ts'
import { RECIPIENT, STOCK } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, MAIN, type StudioNode, startStudioNode } from './studio-node.ts'

interface Request {
  readonly method: string
}

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

async function open(tab: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`${node.url}/studio#/stock/${STOCK}?tab=${tab}`)
  return page
}

/** The form of an action, with its fields filled in. */
async function filled(page: Page, title: string, texts: Readonly<Record<string, string>>): Promise<Locator> {
  const form = page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
  for (const [label, text] of Object.entries(texts)) await form.getByLabel(label).fill(text)
  return form
}

function factOf(page: Page, label: string): Locator {
  return page
    .locator('.facts > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('dd')
}

describe.skipIf(!hasBrowser)('the view of a stock', () => {
  test('issues tokens as the shown command does, and shows supply, holder and event', async () => {
    const page = await open('actions')
    await factOf(page, 'Supply').getByText('1,000,000 tokens').waitFor()
    const form = await filled(page, 'Issue', { Amount: '12.5', Recipient: RECIPIENT })
    await form.getByText('Supply 1,000,000 → 1,000,012.5 tokens').waitFor()
    await form.getByText('by Account 0').waitFor()
    await form.getByRole('button', { name: 'Issue' }).click()
    await form.getByText(/seen in flashblock \d+ of block \d+ after \d+ ms, sealed in block/).waitFor()
    await factOf(page, 'Supply').getByText('1,000,012.5 tokens').waitFor()

    const command = (await form.locator('code').textContent())!
    expect(command).toBe(`tickertape stock mint 12.5 HLCYNd --to ${RECIPIENT} --rpc-url ${node.url}`)
    await promisify(execFile)(process.execPath, [MAIN, ...command.split(' ').slice(1)])
    await factOf(page, 'Supply').getByText('1,000,025 tokens').waitFor()

    await page.getByRole('link', { name: 'Holders' }).click()
    await page.getByRole('row').filter({ hasText: RECIPIENT }).getByText('25', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Events' }).click()
    await expect.poll(() => page.getByText('issued 12.5 to').count()).toBe(2)
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('img', { name: /^Supply from block 0 to .*, (1 change|2 changes)$/ }).waitFor()
    await page.close()
  })

  test('counts down to a scheduled split, which takes effect and shows in the history', async () => {
    const page = await open('actions')
    const form = await filled(page, 'Split', { 'New : old shares': '3:1', 'In (empty: at once)': '8s' })
    await form.getByRole('button', { name: 'Split' }).click()
    const countdown = page.locator('.countdown')
    await countdown.waitFor()
    const first = Number.parseInt((await countdown.textContent())!, 10)
    await expect.poll(async () => Number.parseInt((await countdown.textContent())!, 10)).toBeLessThan(first)
    await page.getByRole('heading', { name: 'Cancel the split' }).waitFor()

    await factOf(page, 'Multiplier').getByText('3 shares per token').waitFor({ timeout: 15_000 })
    await expect.poll(() => countdown.count()).toBe(0)
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('img', { name: /^Multiplier from block 0 to .*, 1 change$/ }).waitFor({ timeout: 10_000 })
    await page.close()
  })

  test('pauses and announces, and says why the contract refuses', async () => {
    const page = await open('actions')
    const pause = await filled(page, 'Pause', {})
    await pause.getByLabel('Feature').selectOption('mint')
    await pause.getByRole('button', { name: 'Pause' }).click()
    await factOf(page, 'Paused').getByText('mint').waitFor()
    const issue = await filled(page, 'Issue', { Amount: '1' })
    await issue.getByText('The feature mint is paused (ContractPaused)').waitFor()
    expect(await issue.getByRole('button', { name: 'Issue' }).isDisabled()).toBe(true)
    await issue.getByLabel('Amount').fill('1,5')
    await issue.getByText('without separators').waitFor()

    const announce = await filled(page, 'Announce', { 'Id, not used before': '2026 "<b>"', Description: "it's due" })
    await announce.getByRole('button', { name: 'Announce' }).click()
    await announce.getByText('Sent:').waitFor()
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByText(`announced 2026 "<b>" · it's due`).waitFor()
    await page.close()
  })

  test('sends from the account that has the role, and says when none has it', async () => {
    const [, second] = (await node.request('eth_accounts')) as readonly string[]
    const page = await open('actions')
    const grant = await filled(page, 'Grant a role', { Account: second! })
    await grant.getByLabel('Role').selectOption('SEIZE_ROLE')
    await page.getByRole('combobox', { name: 'From' }).selectOption(second!)
    await grant.getByText('by Account 0').waitFor()
    await grant.getByRole('button', { name: 'Grant' }).click()
    await grant.getByText('Sent:').waitFor()
    const command = await grant.locator('code').textContent()
    expect(command).toBe(`tickertape stock grant-role SEIZE_ROLE HLCYNd --holder ${second} --rpc-url ${node.url}`)

    await page.route(`${node.url}/`, async (route) => {
      const json = JSON.parse(route.request().postData()!) as Request | Request[]
      const response = await route.fetch()
      const answers = [(await response.json()) as object].flat()
      const shown = [json].flat().map(({ method }, position) => ({
        ...answers[position],
        ...(method === 'eth_accounts' && { result: [second] }),
      }))
      await route.fulfill({ response, json: Array.isArray(json) ? shown : shown[0] })
    })
    await page.reload()
    const issue = await filled(page, 'Issue', {})
    await issue.getByText('No account that can send has MINT_ROLE').waitFor()
    await page.close()
  })

  test('says when an address is no stock', async () => {
    const page = await browser.newPage()
    await page.goto(`${node.url}/studio#/stock/${RECIPIENT}`)
    await page.getByRole('alert').filter({ hasText: 'no tokenized stock' }).waitFor()
    await page.close()
  })
})
