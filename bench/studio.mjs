// Opens the studio in Chromium under a steady load: heap of the page, frames while scrolling, cadence of the node.
//   npm run bench -- studio [--minutes 30] [--rate 200]
// The flashblocks of the node are timed while the page is open, and for a tenth of the time before and after. The heap
// of the page is measured after a garbage collection, and counts after five minutes, or after half of a shorter time.
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import { BROWSER_ADVICE, hasBrowser, launchBrowser } from '../scripts/support/chromium.mjs'
import { startNode } from '../scripts/support/node-process.mjs'
import { percentile, printTable } from './support/statistics.mjs'
import { createSteadyLoad, INTERVAL } from './support/steady-load.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { minutes: { type: 'string', default: '30' }, rate: { type: 'string', default: '200' } },
})
const MINUTE = 60_000
const duration = Number(values.minutes) * MINUTE
const settling = Math.min(5 * MINUTE, duration / 2)
const HEAP_INTERVAL = 10_000
const SCROLL_SECONDS = 5
const MAX_GROWTH_MB = 20
const WANTED_FRAMES = 60
/** 60 frames a second leave no margin for the measurement. */
const FRAME_TOLERANCE = 0.95
const CADENCE_TOLERANCE = 1.1

if (!hasBrowser) {
  console.log(`skipped: ${BROWSER_ADVICE}`)
  process.exit(0)
}

/** Times the flashblocks of a node. @returns takes the gaps since the last call */
async function watchCadence(url) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let gaps = []
  let last
  socket.on('message', (data) => {
    const index = JSON.parse(data).params?.result?.index
    // The flashblock that opens a block coincides with the last one before.
    if (index === undefined || index === 0) return
    const now = performance.now()
    if (last !== undefined) gaps.push(now - last)
    last = now
  })
  socket.send(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newFlashblocks', { raw: true }] }),
  )
  return {
    take() {
      const taken = gaps
      gaps = []
      return taken
    },
    close: () => socket.terminate(),
  }
}

/** Megabytes of objects that the page still reaches. */
async function heapOf(session) {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}

/** Seconds that the main thread of the page has worked: on a busy machine frames are late although the page is not. */
async function workOf(session) {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration').value
}

/** Frames per second while the table of transactions scrolls up and down, as the browser counts them. */
async function framesWhileScrolling(page) {
  return page
    .locator('.table-body')
    .first()
    .evaluate(async (table, seconds) => {
      const start = performance.now()
      let frames = 0
      for (let now = start; now < start + seconds * 1_000; frames += 1) {
        now = await new Promise(requestAnimationFrame)
        const way = table.scrollHeight - table.clientHeight
        table.scrollTop = way * (0.5 - 0.5 * Math.cos((now - start) / 500))
      }
      return (frames * 1_000) / (performance.now() - start)
    }, SCROLL_SECONDS)
}

/** Frames per second of a list of lines that never changes: the most that the machine can show beside the load. */
async function framesOfPlainList(browser) {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } })
  const lines = Array.from({ length: 600 }, (_, line) => `<p>line ${line}</p>`).join('')
  await page.setContent(`<div class="table-body" style="height: 600px; overflow: auto">${lines}</div>`)
  const frames = await framesWhileScrolling(page)
  await page.close()
  return frames
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const share = duration / 10
const node = await startNode()
const load = createSteadyLoad(Number(new URL(node.rpc).port), Math.round((Number(values.rate) * INTERVAL) / 1_000))
const cadence = await watchCadence(node.ws)
// The browser runs all the time, so that only the page makes the difference.
const browser = await launchBrowser()
const loading = load.run(duration + 2 * share + 45_000).catch((error) => error)

await sleep(10_000)
cadence.take()
await sleep(share)
const before = cadence.take()
const plainFrames = [await framesOfPlainList(browser)]

const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } })
const problems = []
page.on('pageerror', (error) => problems.push(error.message))
const session = await page.context().newCDPSession(page)
await session.send('Performance.enable')
await page.goto(`${node.rpc}/studio#/live`)
await page.locator('.slot.filled').nth(1).waitFor()
cadence.take()
const heaps = []
const frames = []
const opened = performance.now()
const workBefore = await workOf(session)
for (let round = 0; performance.now() - opened < duration; round += 1) {
  const next = performance.now() + HEAP_INTERVAL
  if (round % 6 === 0) frames.push(await framesWhileScrolling(page))
  heaps.push({ at: performance.now() - opened, megabytes: await heapOf(session) })
  const { megabytes } = heaps.at(-1)
  if (round % 6 === 0)
    console.log(`minute ${round / 6}: heap ${megabytes.toFixed(1)} MB, ${frames.at(-1).toFixed(1)} frames/s`)
  await sleep(Math.max(0, next - performance.now()))
}
const during = cadence.take()
const work = ((await workOf(session)) - workBefore) / ((performance.now() - opened) / 1_000)
const transactions = await page.locator('.block-note').last().textContent()
await page.close()
plainFrames.push(await framesOfPlainList(browser))

await sleep(2_000)
cadence.take()
await sleep(share)
const after = cadence.take()
const refusal = await Promise.race([loading, undefined])
cadence.close()
await browser.close()
await node.stop()

const settled = heaps.filter(({ at }) => at >= settling).map(({ megabytes }) => megabytes)
const growth = Math.max(...settled) - settled[0]
const averageOf = (rates) => rates.reduce((sum, rate) => sum + rate, 0) / rates.length
const averageFrames = averageOf(frames)
const without = percentile([...before, ...after], 0.99)
const withPage = percentile(during, 0.99)
printTable([
  ['measure', 'value', 'goal'],
  [`heap after ${(settling / MINUTE).toFixed(1)} minutes`, `${settled[0].toFixed(1)} MB`, ''],
  ['growth of the heap from then on', `${growth.toFixed(1)} MB`, `at most ${MAX_GROWTH_MB} MB`],
  ['frames per second while scrolling, average', averageFrames.toFixed(1), String(WANTED_FRAMES)],
  ['frames per second while scrolling, worst', Math.min(...frames).toFixed(1), ''],
  ['frames per second of a plain list, average', averageOf(plainFrames).toFixed(1), ''],
  ['time that the main thread of the page works', `${(100 * work).toFixed(1)} %`, ''],
  ['gap between flashblocks without the page, p50', `${percentile([...before, ...after], 0.5).toFixed(1)} ms`, ''],
  ['gap between flashblocks without the page, p99', `${without.toFixed(1)} ms`, ''],
  ['gap between flashblocks with the page, p50', `${percentile(during, 0.5).toFixed(1)} ms`, ''],
  [
    'gap between flashblocks with the page, p99',
    `${withPage.toFixed(1)} ms`,
    `at most ${(without * CADENCE_TOLERANCE).toFixed(1)} ms`,
  ],
  ['newest sealed block', String(transactions), ''],
  ['errors of the page', problems.length, '0'],
])
for (const problem of problems.slice(0, 3)) console.log('error:', problem)
if (refusal !== undefined) console.log('load:', refusal)
const reached =
  growth <= MAX_GROWTH_MB &&
  averageFrames >= WANTED_FRAMES * FRAME_TOLERANCE &&
  withPage <= without * CADENCE_TOLERANCE &&
  problems.length === 0 &&
  refusal === undefined
console.log(reached ? 'all goals reached' : 'a goal was missed')
process.exit(reached ? 0 : 1)
