import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.ts'
import { RECIPIENT, STOCK } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, MAIN, type StudioNode, startStudioNode } from './studio-node.ts'

/** The first development account, which has the roles of the demonstration stocks. */
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

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
    await form.getByText(/pre-confirmed in flashblock \d+ after \d+ ms, sealed in block/).waitFor()
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

  test('caps the supply, seizes tokens, and freezes the price, each with before and after', async () => {
    const [, , third] = (await node.request('eth_accounts')) as readonly string[]
    const page = await open('actions')
    const cap = await filled(page, 'Set the cap', { 'Cap in tokens, or none': '5' })
    await cap.getByText('a cap is not below it').waitFor()
    expect(await cap.getByRole('button').first().isDisabled()).toBe(true)
    await cap.getByLabel('Cap in tokens, or none').fill('2000000')
    await cap.getByText('Cap none → 2,000,000 tokens').waitFor()
    await cap.getByRole('button', { name: 'Set the cap' }).click()
    await factOf(page, 'Cap').getByText('2,000,000 tokens').waitFor()

    const unpause = await filled(page, 'Unpause', {})
    await unpause.getByLabel('Feature').selectOption('all')
    await unpause.getByRole('button', { name: 'Unpause' }).click()
    await factOf(page, 'Paused').getByText('nothing').waitFor()
    const issue = await filled(page, 'Issue', { Amount: '3', Recipient: third! })
    await issue.getByRole('button', { name: 'Issue' }).click()
    await issue.getByText('Sent:').waitFor()
    const grant = await filled(page, 'Grant a role', { Account: SENDER })
    await grant.getByLabel('Role').selectOption('SEIZE_ROLE')
    await grant.getByText('Account 0 has SEIZE_ROLE already.').waitFor()
    expect(await grant.getByRole('button').first().isDisabled()).toBe(true)
    const seize = await filled(page, 'Seize', { Amount: '4', 'Of the account': third! })
    await seize.getByText('The account has 3 tokens, not more.').waitFor()
    await seize.getByLabel('Amount').fill('1')
    await seize.getByText('AccountNotSeizable').waitFor()
    expect(await seize.getByRole('button').first().isDisabled()).toBe(true)
    const policy = await filled(page, 'Set a policy', { 'allow, block or a number': 'block' })
    await policy.getByLabel('Of').selectOption('seize-exempt')
    await policy.getByText('Policy seize-exempt allow → block').waitFor()
    await policy.getByRole('button', { name: 'Set the policy' }).click()
    await policy.getByText('Sent:').waitFor()
    await seize.getByText(/ 3 → 2 tokens, the sender .* → .* tokens$/).waitFor()
    await seize.getByRole('button', { name: 'Seize' }).click()
    await seize.getByText(/pre-confirmed in flashblock \d+ after \d+ ms, sealed in block/).waitFor()

    const freeze = await filled(page, 'Freeze the price', {})
    await freeze.getByText('Price moving → held').waitFor()
    await freeze.getByRole('button', { name: 'Freeze the price' }).click()
    await factOf(page, 'Price').getByText('frozen').waitFor()
    await page.getByRole('heading', { name: 'Resume the price' }).waitFor()
    await page.close()
  })

  test('creates a stock at the announced address, whose page has its actions', async () => {
    const page = await browser.newPage()
    await page.goto(`${node.url}/studio#/stocks`)
    const texts = { Symbol: 'ACMEd', Name: 'Acme Demo Stock', 'Supply in tokens': '10', 'Cap in tokens': '5' }
    const form = await filled(page, 'Create a stock', texts)
    await form.getByText('The supply is above the cap of 5 tokens.').waitFor()
    await form.getByLabel('Cap in tokens').fill('50')
    const preview = (await form.getByText(/^ACMEd: no stock → 10 tokens at 0x/).textContent())!
    const command = `tickertape stock create ACMEd 'Acme Demo Stock' --supply 10 --cap 50 --rpc-url ${node.url}`
    expect(await form.locator('code').textContent()).toBe(command)
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText(/pre-confirmed in flashblock \d+ after \d+ ms/).waitFor()
    await page.getByRole('link', { name: 'ACMEd', exact: true }).waitFor({ timeout: 10_000 })
    await form.getByRole('link', { name: 'its page and actions' }).click()
    await page.getByRole('heading', { name: 'ACMEd' }).waitFor()
    expect(preview).toContain(await page.locator('.subject a').textContent())
    await factOf(page, 'Supply').getByText('10 tokens').waitFor()
    await page.getByText('by Account 0').first().waitFor()
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
    await page.unrouteAll({ behavior: 'wait' })
    await page.close()
  })

  test('says when an address is no stock', async () => {
    const page = await browser.newPage()
    await page.goto(`${node.url}/studio#/stock/${RECIPIENT}`)
    await page.getByRole('alert').filter({ hasText: 'no tokenized stock' }).waitFor()
    await page.close()
  })
})
