import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, seriousViolations } from './browser.ts'
import { STOCK } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

let node: StudioNode
let browser: Browser
beforeAll(async () => {
  if (!hasBrowser) return
  prepareStudio()
  node = await startStudioNode(await freePort(), ['--ephemeral', '--profile', 'op'])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await node?.stop()
})

async function open(place: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`${node.url}/studio${place}`)
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor()
  return page
}

describe.skipIf(!hasBrowser)('the studio of a fresh node', () => {
  test('begins with the newest blocks, and shows demonstration traffic when asked to', async () => {
    await node.request('anvil_mine', ['0x6'])
    const page = await open('#/live')
    await page.locator('.sealed-blocks li').nth(4).waitFor()
    await page.getByText('No transaction in the newest blocks.').waitFor()

    await page.getByRole('button', { name: 'Start traffic' }).click()
    const rows = page.getByRole('table', { name: 'Newest transactions' }).getByRole('row')
    await rows.nth(3).waitFor()
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('From sending a transaction to the flashblock that contains it.').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Stop traffic' }).click()
    await page.getByRole('button', { name: 'Start traffic' }).waitFor()
    await page.close()
  })

  test('folds the system transactions of a block', async () => {
    const page = await open('#/block/1')
    const rows = page.getByRole('table', { name: 'Transactions of the block' }).getByRole('row')
    const fold = page.getByRole('button', { name: 'Show 1 system transaction' })
    await fold.waitFor()
    const folded = await rows.count()
    await fold.click()
    await page.getByRole('link', { name: 'L1 attributes depositor' }).waitFor()
    await page.getByRole('button', { name: 'Hide 1 system transaction' }).waitFor()
    expect(await rows.getByRole('link', { name: 'L1Block' }).count()).toBe(1)
    expect(await rows.count()).toBeGreaterThanOrEqual(folded)
    await page.close()
  })
})

describe.skipIf(!hasBrowser)('the search', () => {
  test.each([
    ['robotics', 'HLCYNd'],
    ['ZZ0000MRDTL7', 'MRDTLd'],
    ['account 3', 'Account 3'],
    ['pool', 'Pool'],
    ['eth_getbalance', 'Console'],
  ])('leads from %s to %s', async (text, title) => {
    const page = await open('#/blocks')
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
    await page.getByRole('listbox').getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.close()
  })

  test('says that a checksum is wrong, and opens the account at the next Enter', async () => {
    const page = await open('#/blocks')
    await page.keyboard.press('/')
    await page.keyboard.type('0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'checksum of this address is wrong' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Account 0' }).waitFor()
    await page.close()
  })

  test('has a message that closes, and help for the keys', async () => {
    const page = await open('#/blocks')
    await page.keyboard.press('/')
    await page.keyboard.type('no sense')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await page.getByRole('alert').count()).toBe(0)

    await page.locator('h1').click()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard' })
    await help.getByText('pause and resume the live view').waitFor()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'hidden' })
    await page.close()
  })
})

describe.skipIf(!hasBrowser)('the studio on a phone', () => {
  test('has a header of one line and tables as cards, whose amounts are whole', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await page.goto(`${node.url}/studio#/stocks`)
    const supply = page.getByText('2,500,000.125')
    await supply.waitFor()
    expect((await page.locator('header.top').boundingBox())!.height).toBeLessThan(60)
    const box = (await supply.boundingBox())!
    expect(box.x + box.width).toBeLessThanOrEqual(390)
    await page.goto(`${node.url}/studio#/stock/${STOCK}`)
    await expect.poll(() => page.title()).toBe('HLCYNd · Tickertape Studio')
    await page.close()
  })
})
