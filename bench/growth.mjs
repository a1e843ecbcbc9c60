// Measures whether cost grows with the length of the chain: write rate, reads and memory.
//   npm run bench -- growth [--transactions 1000,10000,50000,200000]
// Uses a real node that syncs to disk; a manual clock makes blocks as fast as possible. 200 token transfers per block.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { DEVELOPMENT_ACCOUNTS } from '../dist/chain/accounts/development-accounts.js'
import { createNetwork } from '../dist/chain/genesis/networks.js'
import { DEMO_STOCKS } from '../dist/chain/predeploys/demo-stocks.js'
import { signTransaction } from '../dist/chain/transaction/transaction-codec.js'
import { createSchedule } from '../dist/node/production/building/schedule.js'
import { openNode } from '../dist/node/roles/open-node.js'
import { DEFAULT_POOL_OPTIONS } from '../dist/pool/options.js'
import { createRpc, RPC_DEFAULTS } from '../dist/rpc/create-rpc.js'
import { prepareTestBuild } from '../scripts/prepare.mjs'
import { percentile, printTable } from './support/statistics.mjs'

prepareTestBuild()
const { ManualClock } = await import('../dist-test/test/support/manual-clock.js')

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { transactions: { type: 'string', default: '1000,10000,50000,200000' } },
})
const milestones = values.transactions.split(',').map(Number)
const PER_FLASHBLOCK = 20
const MEASURED = 2_000
const TOKEN = DEMO_STOCKS[0].address
/** Receives a few transfers early and none later, so that the number of logs about it stays constant. */
const RARE = `0x${'7a7e'.repeat(10)}`

const directory = mkdtempSync(join(tmpdir(), 'tickertape-growth-'))
const clock = new ManualClock({ wall: Date.UTC(2026, 0, 1) })
const { genesis } = createNetwork()
const log = pino({ level: 'error' }, pino.destination(2))
const node = await openNode(
  {
    genesis,
    directory,
    history: 'all',
    replayBlocks: 64,
    maxBlocksBehind: 8,
  },
  {
    kind: 'solo',
    leading: {
      schedule: createSchedule(2000, 200),
      gasLimit: genesis.header.gasLimit,
      timeBudget: 0.6,
      finalityDepth: 64,
      pool: DEFAULT_POOL_OPTIONS,
    },
  },
  { clock, log, yieldTurn: () => new Promise((resolve) => setImmediate(resolve)) },
)
const rpc = createRpc(
  { ...RPC_DEFAULTS, clientVersion: 'bench', version: '0.0.0', networkId: 31337n },
  { node, clock, log, randomBytes: (size) => new Uint8Array(size) },
)

let sent = 0
const nonces = DEVELOPMENT_ACCOUNTS.map(() => 0n)

function transfer(from, to, amount) {
  const data = Buffer.from(`a9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`, 'hex')
  return signTransaction(
    {
      type: 2,
      chainId: 31337n,
      nonce: nonces[from]++,
      to: TOKEN,
      value: 0n,
      data,
      gasLimit: 100_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
      accessList: [],
    },
    DEVELOPMENT_ACCOUNTS[from].privateKey,
  )
}

async function submitAll(transactions) {
  const results = await Promise.all(transactions.map(({ raw }) => node.submit(raw)))
  const refused = results.find(({ kind }) => kind === 'refused')
  if (refused) throw new Error(`refused: ${refused.refusal.code}`)
}

async function nextFlashblock() {
  clock.moveTo(clock.next)
  await new Promise((resolve) => node.events.once('flashblock', resolve))
  await node.idle()
}

/** Makes one flashblock of transfers. Every recipient is new, so the state grows too. */
async function flashblock(count = PER_FLASHBLOCK) {
  const transactions = Array.from({ length: count }, () => {
    const number = sent++
    const isRare = number < 1_000 && number % 50 === 0
    const to = isRare ? RARE : `0x${(number + 1).toString(16).padStart(40, 'b')}`
    return transfer(number % DEVELOPMENT_ACCOUNTS.length, to, 1n)
  })
  await submitAll(transactions)
  await nextFlashblock()
}

async function request(method, ...params) {
  const response = JSON.parse(await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
  if (response.error) throw new Error(`${method}: ${response.error.message}`)
  return response.result
}

async function median(runs, action) {
  const times = []
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    await action(run)
    times.push(performance.now() - start)
  }
  return percentile(times, 0.5)
}

function rssAnonMiB() {
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
}

// Gives every sender tokens.
await submitAll(DEVELOPMENT_ACCOUNTS.slice(1).map(({ address }) => transfer(0, address, 10n ** 21n)))
await nextFlashblock()

const rows = []
for (const milestone of milestones) {
  while (sent < milestone) {
    await flashblock()
    if (sent % 5_000 === 0) process.stderr.write(`${sent} transactions\n`)
  }
  const start = performance.now()
  for (let count = 0; count < MEASURED; count += PER_FLASHBLOCK) await flashblock()
  const rate = MEASURED / ((performance.now() - start) / 1000)
  const { latest } = node.view().head.sealed
  const topics = [null, null, `0x${RARE.slice(2).padStart(64, '0')}`]
  let found = 0
  const logs = await median(50, async () => {
    found = (await request('eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest', topics })).length
  })
  const balance = await median(200, (run) => {
    const height = `0x${Math.floor((((run * 7919) % 1000) / 1000) * latest).toString(16)}`
    return request('eth_getBalance', DEVELOPMENT_ACCOUNTS[run % 10].address, height)
  })
  global.gc?.()
  rows.push({ behind: milestone, latest, rate, logs, found, balance, rss: rssAnonMiB() })
}

const first = rows[0]
const last = rows.at(-1)
printTable([
  ['transactions behind', 'head', 'written tx/s', 'rare logs, ms', 'logs', 'old balance, ms', 'RssAnon, MiB'],
  ...rows.map((row) => [
    row.behind,
    row.latest,
    row.rate.toFixed(0),
    row.logs.toFixed(3),
    row.found,
    row.balance.toFixed(3),
    row.rss.toFixed(0),
  ]),
])
const ratios = { rate: first.rate / last.rate, logs: last.logs / first.logs, balance: last.balance / first.balance }
const reached = Object.values(ratios).every((ratio) => ratio <= 1.5) && rows.every(({ rss }) => rss < 400)
for (const [name, ratio] of Object.entries(ratios))
  console.log(`${name}: last row ${ratio.toFixed(2)} times the first (goal: at most 1.5)`)
console.log(reached ? 'all goals reached' : 'a goal was missed')
await node.stop()
rmSync(directory, { recursive: true, force: true })
process.exit(reached ? 0 : 1)
