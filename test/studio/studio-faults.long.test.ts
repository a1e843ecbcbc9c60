import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser } from './browser.ts'
import { RECIPIENT, STOCK } from './places.ts'
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

/** A page at a place of the studio of a node. @param script runs before those of the page */
async function open(place: string, from = node, script?: () => void): Promise<Page> {
  const page = await browser.newPage()
  if (script !== undefined) await page.addInitScript(script)
  await page.goto(`${from.url}/studio${place}`)
  return page
}

/** Height of the first row of the view of blocks. */
async function newestListed(page: Page): Promise<number> {
  const text = await page.getByRole('row').locator('a[href^="#/block/"]').first().textContent()
  return Number(text!.replaceAll(',', ''))
}

describe.skipIf(!hasBrowser)('the studio of other nodes and browsers', () => {
  test('follows the blocks of a chain without flashblocks', async () => {
    const denim = await startStudioNode(await freePort(), ['--ephemeral', '--profile', 'denim'])
    const page = await open('#/live', denim)
    await page.locator('.sealed-blocks li').nth(1).waitFor()
    await page.locator('.open-block').getByText('newest', { exact: true }).waitFor()
    await page.getByText('This node announces no flashblocks').waitFor()

    await page.goto(`${denim.url}/studio#/blocks`)
    await page.getByText('Base fee (gwei)').waitFor()
    const first = await newestListed(page)
    await expect.poll(() => newestListed(page)).toBeGreaterThan(first)
    await page.close()
    await denim.stop()
  })

  test('keeps its other views current while the live view is paused', async () => {
    const page = await open('#/live')
    await page.locator('.slot.filled').first().waitFor()
    await page.keyboard.press('p')
    await page.getByText(/\d waiting/).waitFor()

    await page.goto(`${node.url}/studio#/blocks`)
    await page.getByText('Base fee (gwei)').waitFor()
    const first = await newestListed(page)
    await expect.poll(() => newestListed(page), { timeout: 10_000 }).toBeGreaterThan(first)
    await page.close()
  })

  test('sends one transaction for a double click', async () => {
    const page = await open(`#/account/${STOCK}`)
    const [sender] = (await node.request('eth_accounts')) as readonly string[]
    const nonce = async () => Number(await node.request('eth_getTransactionCount', [sender, 'pending']))
    const before = await nonce()
    await page.getByText('transfer(address to, uint256 amount)').click()
    const form = page.locator('details[open]').filter({ hasText: 'transfer(address to' })
    await form.getByLabel('to address').fill(RECIPIENT)
    await form.getByLabel('amount uint256').fill('1')

    await form.getByRole('button', { name: 'Send transaction' }).dblclick()

    await form.getByRole('status').getByRole('link').first().click()
    await page.getByText('Token transfers').waitFor()
    expect(await nonce()).toBe(before + 1)
    await page.close()
  })

  test('says when blocks are made, and does not end their schedule', async () => {
    const scheduled = await open('#/control')
    await scheduled.getByText('Blocks are made on a schedule.').waitFor()
    await scheduled.getByText('No method brings the schedule back').waitFor()
    expect(await scheduled.getByRole('button', { name: 'Change the mode' }).count()).toBe(0)
    await scheduled.close()

    const auto = await startStudioNode(await freePort(), ['--ephemeral', '--mining', 'auto'])
    const page = await open('#/control', auto)
    await page.getByText('Blocks are made one for each transaction.').waitFor()
    const change = async (mode: string) => {
      await page.getByRole('button', { name: mode }).click()
      await page.getByRole('button', { name: 'Change the mode' }).click()
    }
    await change('on request only')
    await page.getByText('Blocks are made on request only.').waitFor()
    await change('at an interval')
    await page.getByText('Blocks are made one every 2 s.').waitFor()
    await change('for each transaction')
    await page.getByText('Blocks are made one for each transaction.').waitFor()
    await page.close()
    await auto.stop()
  })

  test('keeps the impersonated accounts, and sends from them', async () => {
    const whale = '0x00000000000000000000000000000000000000fb'
    await node.request('anvil_setBalance', [whale, '0xde0b6b3a7640000'])
    const page = await open('#/control')
    const part = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Impersonation' }) })
    await part.getByLabel('Address').fill(whale)
    await part.getByRole('button', { name: 'Impersonate' }).click()
    await part.getByRole('button', { name: 'Stop' }).waitFor()

    await page.getByRole('link', { name: 'Stocks' }).click()
    await page.getByRole('link', { name: 'HLCYNd' }).click()
    await page.getByRole('link', { name: 'Actions' }).click()
    // Charts are labelled `Supply from block …`.
    await page.getByRole('combobox', { name: 'From' }).selectOption(whale)
    await page.getByRole('link', { name: 'Control' }).click()
    await part.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => part.getByText(whale).count()).toBe(0)
    await page.close()
  })

  test('switches keys off that act without a modifier, and remembers it', async () => {
    const page = await open('#/live')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByRole('checkbox', { name: /^Keys/ }).uncheck()
    await page.locator('h1').click()
    await page.keyboard.press('p')
    await page.reload()
    await page.keyboard.press('p')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByRole('checkbox', { name: /^Keys/ }).check()
    await page.locator('h1').click()
    await page.keyboard.press('p')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await page.close()
  })

  test('opens where the browser blocks the storage', async () => {
    const page = await open('#/live', node, () => {
      Object.defineProperty(globalThis, 'localStorage', {
        get() {
          throw new DOMException('site data are blocked', 'SecurityError')
        },
      })
    })
    await page.locator('.slot.filled').first().waitFor()
    await page.close()
  })

  test('shows the error of a view that cannot be drawn, and the other views', async () => {
    const page = await open('#/live', node, () => {
      Date.prototype.toISOString = () => {
        throw new RangeError('a broken date')
      }
    })
    await page.locator('.slot.filled').first().waitFor()
    await page.goto(`${node.url}/studio#/block/0`)
    await page.getByRole('heading', { name: 'This view cannot be drawn' }).waitFor()
    await page.getByRole('alert').filter({ hasText: 'a broken date' }).waitFor()
    await page.getByRole('link', { name: 'Pool' }).click()
    await page.getByText('Waits for').waitFor()
    await page.close()
  })
})
