// `npm run docs:pictures` makes docs/pictures: the studio and `tickertape watch` in front of a running node with
// demonstration traffic. It needs Chromium, which also compresses the pictures, and is skipped without.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { BROWSER_ADVICE, hasBrowser, launchBrowser } from './support/chromium.mjs'

const FOLDER = join(root, 'docs/pictures')
/** Bytes of all pictures together: everyone who clones the repository gets them. */
const MAX_BYTES = 900_000
const QUALITY = 0.82
const WIDTH = 1_200
/** Traffic before the first picture. */
const WARM_UP_MS = 25_000
const STOCK = '0x5700000000000000000000000000000000000001'
const TERMINAL = { columns: 104, rows: 30 }

if (!hasBrowser) {
  console.log(`skipped: pictures of the studio (${BROWSER_ADVICE})`)
  process.exit(0)
}
prepare()
const { spawnNode, startNode } = await import('./support/node-process.mjs')

/** Pictures by name. They are written together, so that a failure leaves the old ones. */
const pictures = new Map()

/** Adds a picture as WebP; Chromium converts it. */
async function add(browser, name, png) {
  const page = await browser.newPage()
  const url = await page.evaluate(
    async ({ source, quality }) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.naturalWidth
      canvas.height = image.naturalHeight
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', quality)
    },
    { source: `data:image/png;base64,${png.toString('base64')}`, quality: QUALITY },
  )
  await page.close()
  pictures.set(`${name}.webp`, Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))
}

/** Opens a view and waits until it shows a text. */
async function openView(page, base, place, shown) {
  await page.goto(`${base}${place}`)
  await page.getByText(shown).first().waitFor()
  await page.waitForFunction(() => !document.body.textContent.includes('Loading …'))
  // Charts and fonts are drawn in the next frames.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}

/** The screen of `tickertape watch` after some seconds, as a page. */
async function terminalPage(url) {
  const { WatchSession } = await import('../dist/cli/watch/watch-session.js')
  const { watchScreen } = await import('../dist/cli/watch/watch-screen.js')
  const { NODE_ACCESS } = await import('../dist/cli/watch/node-access.js')
  const { nodeAddressOf } = await import('../dist/live/node-address.js')
  const session = new WatchSession({ address: nodeAddressOf(url), url }, NODE_ACCESS)
  session.open()
  const isComplete = ({ live: { timeline } }) => timeline.sealed.length >= 6 && timeline.open?.slots.length === 8
  await new Promise((resolve) => {
    const end = session.state.subscribe(() => {
      if (!isComplete(session.state.value)) return
      end()
      resolve()
    })
  })
  const lines = watchScreen(session.state.value, TERMINAL, NODE_ACCESS.now())
  session.close()
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const rows = lines.map((line) => line.map(({ text, tone }) => `<i class="${tone}">${escaped(text)}</i>`).join(''))
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; background: #10141b }
    pre { margin: 0; padding: 18px 20px; display: inline-block; color: #d7dde6 }
    pre { font: 14px/19px 'DejaVu Sans Mono', monospace }
    i { font-style: normal }
    .title { font-weight: bold; color: #fff }
    .muted { color: #7c8796 }
    .good { color: #4cc38a }
    .bad { color: #f2726f }
    .busy { color: #e5b567 }
  </style><pre>${rows.join('\n')}</pre>`
}

/** The views of a colour scheme with the height of their pictures. */
function viewsOf(scheme, block) {
  const both = [
    { name: 'live', place: '#/live', shown: 'newest first', height: 900, prepareView: fillLive },
    { name: 'transaction', place: '#/live', shown: 'newest first', height: 900, prepareView: openTransaction },
  ]
  if (scheme === 'dark') return both
  return [
    ...both,
    { name: 'blocks', place: '#/blocks', shown: 'Base fee (gwei)', height: 620 },
    { name: 'flashblock', place: '#/live', shown: 'newest first', height: 780, prepareView: openFlashblock },
    { name: 'block', place: `#/block/${block}`, shown: 'All fields', height: 780 },
    { name: 'account', place: `#/account/${STOCK}`, shown: 'transferFrom(', height: 780 },
    { name: 'stocks', place: '#/stocks', shown: 'HLCYNd', height: 430 },
    { name: 'stock', place: `#/stock/${STOCK}`, shown: 'shares per token', height: 780 },
    { name: 'pool', place: '#/pool', shown: 'a lower nonce', height: 560 },
    { name: 'control', place: '#/control', shown: 'Impersonation', height: 640 },
    { name: 'cluster', place: '#/cluster', shown: 'up to date', height: 860 },
    {
      name: 'console',
      place: '#/console?method=eth_getBlockByNumber',
      shown: 'fullTransactions',
      height: 780,
      prepareView: sendRequest,
    },
  ]
}

/** The live view begins when it opens. */
async function fillLive(page) {
  await page.waitForFunction(isLiveFilled, undefined, { polling: 20 })
}

/** The newest sealed flashblock with transactions, of those that the page has seen. */
async function openFlashblock(page) {
  await page.waitForFunction(isLiveFilled, undefined, { polling: 20 })
  await page.locator('.sealed-blocks a').last().click()
  await page.getByRole('navigation', { name: 'Flashblocks of this block' }).getByRole('link').nth(4).click()
  await page.getByText('Hash so far').waitFor()
}

/** A transfer of a stock that the page saw in the pool, in its flashblock and in its block. */
async function openTransaction(page) {
  await page
    .getByLabel('Newest transactions')
    .getByRole('row')
    .filter({ hasText: 'HLCYNd' })
    .first()
    .locator('a')
    .first()
    .click()
  await page.getByText('Sealed in block').waitFor()
  await page.getByText('Token transfers').waitFor()
}

async function sendRequest(page) {
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('"parentHash"').waitFor()
}

async function picturesOf(browser, base, { scheme, block }) {
  const page = await browser.newPage({ colorScheme: scheme, viewport: { width: WIDTH, height: 780 } })
  for (const { name, place, shown, height, prepareView } of viewsOf(scheme, block)) {
    await page.setViewportSize({ width: WIDTH, height })
    await openView(page, `${base}/studio`, place, shown)
    await prepareView?.(page)
    await add(browser, `${name}-${scheme}`, await page.screenshot())
  }
  await page.close()
}

/** Runs in the page: sealed blocks fill the row, and the open one is almost complete. */
function isLiveFilled() {
  return (
    document.querySelectorAll('.sealed-blocks li').length >= 8 && document.querySelectorAll('.slot.filled').length === 8
  )
}

const node = await startNode(['--demo'])
// The view of the cluster shows a replica, and that of the pool transactions that wait.
const replica = await spawnNode(
  ['--ephemeral', '--from', `${node.rpc.replace('http', 'ws')}/replica`],
  undefined,
  'replica',
)
await queueTransactions(node.rpc)
const browser = await launchBrowser()
try {
  const terminal = await browser.newPage()
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS))
  await terminal.setContent(await terminalPage(node.rpc))
  await add(browser, 'watch', await terminal.locator('pre').screenshot())
  const block = await recentBlock(node.rpc)
  for (const scheme of ['light', 'dark']) await picturesOf(browser, node.rpc, { scheme, block })
} finally {
  await browser.close()
  await replica.stop()
  await node.stop()
}

async function rpc(url, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** Transactions of an account without traffic that wait for a lower nonce. */
async function queueTransactions(url) {
  const from = '0x00000000000000000000000000000000000000ca'
  await rpc(url, 'anvil_setBalance', [from, '0xde0b6b3a7640000'])
  await rpc(url, 'anvil_impersonateAccount', [from])
  for (const nonce of [1, 2, 3, 5]) {
    const value = `0x${(BigInt(nonce) * 10n ** 15n).toString(16)}`
    await rpc(url, 'eth_sendTransaction', [{ from, to: STOCK, nonce: `0x${nonce}`, gas: '0x15f90', value }])
  }
}

/** Height of the newest sealed block with a transfer of a stock. */
async function recentBlock(url) {
  for (;;) {
    const { number, transactions } = await rpc(url, 'eth_getBlockByNumber', ['latest', true])
    if (transactions.some(({ to }) => to === STOCK)) return Number(number)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const total = [...pictures.values()].reduce((sum, { length }) => sum + length, 0)
for (const [name, { length }] of pictures) console.log(`docs/pictures/${name}  ${Math.round(length / 1_000)} KB`)
console.log(`together ${Math.round(total / 1_000)} KB`)
if (total > MAX_BYTES) {
  console.error(`not written: the pictures have more than ${MAX_BYTES / 1_000} KB together`)
  process.exit(1)
}
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
for (const [name, bytes] of pictures) writeFileSync(join(FOLDER, name), bytes)
process.exit(0)
