import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'

interface Chromium {
  readonly hasBrowser: boolean
  readonly BROWSER_ADVICE: string
  launchBrowser(): Promise<Browser>
}

export const { hasBrowser, BROWSER_ADVICE, launchBrowser }: Chromium = await import(
  new URL('../../scripts/support/chromium.mjs', import.meta.url).href
)
if (!hasBrowser) console.warn(`skipped: the studio in a browser (${BROWSER_ADVICE})`)

export type Scheme = 'light' | 'dark'

/** A page that records what must not happen in it. */
export interface WatchedPage {
  readonly page: Page
  /** Errors of scripts, and messages of the console about refused or failed actions. */
  readonly problems: string[]
  /** Addresses of all requests and WebSockets. */
  readonly addresses: string[]
}

export async function watchedPage(browser: Browser, scheme: Scheme = 'light'): Promise<WatchedPage> {
  const page = await browser.newPage({ colorScheme: scheme, viewport: { width: 1_280, height: 900 } })
  const problems: string[] = []
  const addresses: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // The browser reports statuses of `/ready`, which is 503 while a busy machine delays flashblocks.
    if (message.type() === 'error' && !message.text().includes('status of 503')) problems.push(message.text())
  })
  page.on('request', (request) => addresses.push(request.url()))
  page.on('websocket', (socket) => addresses.push(socket.url()))
  return { page, problems, addresses }
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

const axeSource: string = (createRequire(import.meta.url)('axe-core') as { readonly source: string }).source

/**
 * Violations of WCAG 2.2 AA that axe calls serious or critical, as text.
 *
 * @param parts selectors of the parts to check; default: the whole page
 */
export async function seriousViolations(page: Page, parts = ['html']): Promise<readonly string[]> {
  await page.evaluate(axeSource)
  const violations = await page.evaluate(async (include) => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    const { axe } = globalThis as unknown as {
      axe: { run(context: object, options: object): Promise<{ violations: readonly Violation[] }> }
    }
    return (await axe.run({ include }, { runOnly: { type: 'tag', values: tags } })).violations
  }, parts)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`))
}
