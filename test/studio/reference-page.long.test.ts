import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, seriousViolations } from './browser.ts'
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

describe.skipIf(!hasBrowser)('the reference page', () => {
  test.each(['light', 'dark'] as const)('fits a phone in %s colours, without a serious fault', async (colorScheme) => {
    // The policy of the page would keep axe from running.
    const context = await browser.newContext({ bypassCSP: true, colorScheme, viewport: { width: 380, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${node.url}/docs`)
    await page.getByText('curl -s').first().waitFor()
    expect(await overflowOf(page)).toBe(0)
    expect(await seriousViolations(page)).toEqual([])
    await context.close()
  })
})
