import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasBrowser, launchBrowser, seriousViolations, watchedPage } from './browser.ts'
import { overflowOf } from './places.ts'
import { prepareStudio } from './prepare-studio.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

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

/** Runs with the page in a context of its own. */
async function onPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(`${node.url}/docs`)
  await use(page)
  await context.close()
}

describe.skipIf(!hasBrowser)('the reference page', () => {
  test.each([
    [320, 'light'],
    [390, 'dark'],
    [1_280, 'light'],
  ] as const)('fits %i pixels in %s colours, without a serious fault', async (width, colorScheme) => {
    // The policy of the page would keep axe from running.
    await onPage({ bypassCSP: true, colorScheme, viewport: { width, height: 800 } }, async (page) => {
      await page.getByRole('button', { name: 'Try it: eth_call', exact: true }).click()
      expect(await overflowOf(page)).toBe(0)
      const low = await page
        .locator('a:not(.skip), button, summary')
        .evaluateAll(
          (elements) =>
            elements.filter(
              (element) => element.getClientRects().length > 0 && element.getBoundingClientRect().height < 24,
            ).length,
        )
      expect(low).toBe(0)
      // All entries would take axe a minute: these have every kind of part.
      for (const query of ['eth_call', 'total-supply']) {
        await page.getByRole('searchbox').fill(query)
        expect(await seriousViolations(page), query).toEqual([])
      }
      await page.getByRole('searchbox').fill('')
      expect(await seriousViolations(page, ['#errors', '#subscriptions', '#object-log'])).toEqual([])
    })
  })

  test('reads as text without JavaScript', async () => {
    await onPage({ javaScriptEnabled: false }, async (page) => {
      await page.getByText('"method":"eth_getBalance"').first().waitFor()
      expect(await page.getByRole('searchbox').isVisible()).toBe(false)
    })
  })

  test('filters entries as the user types, and says how many match and what to do when none do', async () => {
    await onPage({}, async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('getBalance')
      await page.getByText('1 entry matches “getBalance”').waitFor()
      expect(await page.locator('main h3:visible').allTextContents()).toEqual([
        expect.stringContaining('eth_getBalance'),
      ])
      await page.getByRole('searchbox').fill('total-supply')
      expect(await page.locator('main h3:visible').count()).toBe(2)
      await page.getByRole('searchbox').fill('no such thing')
      await page.getByText('Nothing matches “no such thing”. Search for part of a method name').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.locator('main h3:visible').count()).toBeGreaterThan(150)
    })
  })

  test('opens at the entry that its address names', async () => {
    await onPage({}, async (page) => {
      for (const id of ['eth_call', 'get-/v1/tokenized-stocks/{token}/holders']) {
        await page.goto(`${node.url}/docs#${encodeURI(id)}`)
        // Below the header, near the top of the window.
        await expect.poll(async () => (await page.locator(`[id="${id}"]`).boundingBox())!.y).toBeCloseTo(60, -2)
      }
    })
  })

  test('sends nothing before the click, then shows the answer of this node', async () => {
    const { page, problems, addresses } = await watchedPage(browser)
    await page.goto(`${node.url}/docs#eth_chainId`)
    const entry = page.locator('#eth_chainId')
    expect(await entry.getByText(`curl -s ${node.url} `).count()).toBe(1)
    await entry.getByRole('button', { name: 'Try it: eth_chainId' }).click()
    expect(addresses).toEqual([`${node.url}/docs`])

    await entry.getByRole('button', { name: 'Send' }).click()

    await entry
      .locator('.outcome')
      .getByText(`"result": "${await node.request('eth_chainId')}"`)
      .waitFor()
    expect(await entry.getByRole('status').textContent()).toMatch(/^200 \d+ ms$/)
    expect(addresses.slice(1)).toEqual([`${node.url}/`])
    expect(problems).toEqual([])
    await page.close()
  })

  test('shows 4,000 characters of a long answer, and all of it on request', async () => {
    await onPage({}, async (page) => {
      const entry = page.locator('[id="get-/v1/openapi.json"]')
      await entry.getByRole('button', { name: 'Try it: GET /v1/openapi.json' }).click()
      await entry.getByRole('button', { name: 'Send' }).click()
      const all = entry.getByRole('button', { name: /^Show all [\d,]+ characters$/ })
      await all.waitFor()
      const answer = entry.locator('.outcome pre')
      expect((await answer.textContent())!.length).toBe(4_000)
      await all.click()
      expect(JSON.parse((await answer.textContent())!)).toHaveProperty('openapi')
    })
  })

  test('says what changes the chain, what is wrong with parameters, and when the node refuses', async () => {
    await onPage({}, async (page) => {
      const entry = page.locator('#anvil_setBalance')
      await entry.getByRole('button', { name: 'Try it: anvil_setBalance' }).click()
      await entry.getByText('This changes the chain or the node').waitFor()
      await entry.getByRole('textbox').fill('{')
      await entry.getByRole('button', { name: 'Send' }).click()
      await entry.getByText('Write the parameters as a JSON array').waitFor()
      await entry.getByRole('textbox').fill('["0x00"]')
      await entry.getByRole('button', { name: 'Send' }).click()
      await entry.getByText('Correct the request, then send again.').waitFor()
    })
  })

  test('says what to do when the node does not answer', async () => {
    await onPage({}, async (page) => {
      await page.route('**/*', (route) => route.abort())
      const entry = page.locator('#eth_chainId')
      await entry.getByRole('button', { name: 'Try it: eth_chainId' }).click()
      await entry.getByRole('button', { name: 'Send' }).click()
      await entry.getByText('Check that it runs').waitFor()
    })
  })

  test('shows events as they arrive, until it is stopped', async () => {
    await onPage({}, async (page) => {
      const entry = page.locator('[id="get-/v1/tokenized-stocks/events"]')
      await entry.getByRole('button', { name: 'Try it: GET /v1/tokenized-stocks/events' }).click()
      await entry.getByRole('button', { name: 'Send' }).click()
      await entry.locator('.outcome').getByText('event: ready').waitFor()
      await entry.getByRole('button', { name: 'Stop' }).click()
      await entry.getByText('200, stopped').waitFor()
    })
  })

  test('shows the newest 4,000 characters of events, and announces only that the state changes', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' })
      response.write(`data: oldest\n\n${'data: event\n\n'.repeat(1_000)}`)
      response.write('data: newest\n\n')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => server.closeAllConnections())
    onTestFinished(() => void server.close())
    await onPage({ bypassCSP: true }, async (page) => {
      const stream = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      await page.evaluate((url) => {
        const own = fetch
        globalThis.fetch = (target, options) => own(target === '/events' ? url : target, options)
      }, stream)
      const entry = page.locator('[id="get-/v1/tokenized-stocks/events"]')
      await entry.getByRole('button', { name: 'Try it: GET /v1/tokenized-stocks/events' }).click()
      await entry.getByRole('textbox').fill('/events')
      await entry.getByRole('button', { name: 'Send' }).click()

      const shown = entry.locator('.outcome pre')
      await shown.getByText('newest').waitFor()
      expect((await shown.textContent())!.length).toBe(4_000)
      expect(await entry.getByRole('status').textContent()).toBe('Receiving')
      await entry.getByRole('button', { name: 'Stop' }).click()
      await entry.getByText('200, stopped').waitFor()
      expect(await shown.textContent()).toMatch(/newest\n\n$/)
      await entry.getByRole('button', { name: 'Show the newest 13,028 characters' }).click()
      expect(await shown.textContent()).toMatch(/^data: oldest/)
    })
  })

  test('sends to no other host, however its address is written', async () => {
    await onPage({}, async (page) => {
      const entry = page.locator('[id="get-/v1/tokenized-stocks/events"]')
      await entry.getByRole('button', { name: 'Try it: GET /v1/tokenized-stocks/events' }).click()
      await entry.getByRole('textbox').fill('/\\evil.example/x')
      await entry.getByRole('button', { name: 'Send' }).click()
      await entry.getByText('Write a path that begins with one slash').waitFor()
    })
  })

  test('copies an example', async () => {
    await onPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.locator('#eth_chainId').getByRole('button', { name: 'Copy the viem example' }).click()
      await page.getByText('Copied').waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('await client.getChainId()')
    })
  })
})
