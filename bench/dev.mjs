// The development node, compared with Anvil and Hardhat 2: automatic mining, snapshots, mining of many blocks.
//   npm run bench -- dev [--peers anvil,hardhat|none] [--seconds 3] [--rounds 3] [--history 1000,20000] [--markdown F]
// Takes about four minutes, most of them Anvil's for its 20,000 blocks. Each transaction is an ERC-20 transfer to a new
// holder. `--connections 64` sends that many at a time. Rates count transactions that are mined; the row of answered
// sends has no goal, because Anvil answers before it mines. Rounds of all nodes alternate. `--only
// automine,snapshot,mine` chooses parts. Our node runs with `--ephemeral --mining auto`.
// `npm run bench:peers` installs the other nodes.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createAutomineLoad } from './support/automine-load.mjs'
import {
  installedDevelopmentPeers,
  startAutominingAnvil,
  startAutominingHardhat,
  startAutominingOurs,
} from './support/development-peers.mjs'
import { createClient } from './support/json-rpc-client.mjs'
import { measureRevert, mineEmpty } from './support/snapshot-load.mjs'
import { percentile, printTable } from './support/statistics.mjs'
import { createTokenSenders } from './support/token-senders.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    peers: { type: 'string', default: 'anvil,hardhat' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    history: { type: 'string', default: '1000,20000' },
    only: { type: 'string', default: 'automine,snapshot,mine' },
    markdown: { type: 'string' },
  },
})

/** Transactions per second that no node exceeds: so many are signed in advance. */
const SIGNED_PER_SECOND = 8_000
const WARM_UP_MS = 1_000
const SLOTS = 10_000
const MINED = 100_000
/** Anvil makes real blocks one by one: its time for fewer is multiplied. */
const MINED_BY_ANVIL = 5_000
const GOALS = { concurrent: 4, awaitedMs: 2, growth: 0.9, snapshotMs: 5, mineMs: 2_000 }

const say = (text) => process.stderr.write(`${text}\n`)
const median = (samples) => percentile(samples, 0.5)
const heights = values.history.split(',').map(Number)
const milliseconds = Number(values.seconds) * 1_000
const rounds = Number(values.rounds)
const parts = new Set(values.only.split(','))
const starters = { ours: startAutominingOurs, ...chosenPeers() }
const lines = []
const missed = []

function chosenPeers() {
  const wanted = values.peers === 'none' ? [] : values.peers.split(',')
  const installed = installedDevelopmentPeers()
  const known = { anvil: startAutominingAnvil, hardhat: startAutominingHardhat }
  const chosen = {}
  for (const name of wanted) {
    if (known[name] === undefined) {
      say('--peers must be anvil, hardhat, both or none')
      process.exit(2)
    }
    if (installed[name]) chosen[name] = known[name]
    else say(`${name} is not installed: npm run bench:peers`)
  }
  return chosen
}

function report(text, isReached) {
  lines.push(isReached === undefined ? text : `${text}: ${isReached ? 'reached' : 'missed'}`)
  if (isReached === false) missed.push(text)
}

async function automining() {
  const senders = createTokenSenders(Number(values.connections))
  say('signing transactions')
  const perSender = Math.ceil(
    (SIGNED_PER_SECOND * (rounds * milliseconds + WARM_UP_MS)) / 1_000 / senders.addresses.length,
  )
  const queues = senders.queues(perSender)
  const subjects = []
  for (const height of heights) {
    for (const [name, start] of Object.entries(starters)) {
      const node = await start()
      subjects.push({ name, height, node, load: await prepareNode(node, height, senders, queues), rates: new Map() })
      say(`${node.name} at block ${height}: ${node.version}`)
    }
  }
  // Inclusion first: after the others, Anvil mines empty blocks for seconds, one for each transaction that it mined
  // with an earlier one, and transactions sent meanwhile have to wait.
  for (const kinds of [['awaited'], ['concurrent', 'serial']]) await measureInTurns(subjects, kinds)
  for (const { node } of subjects) await node.stop()
  reportAutomining(subjects)
}

async function measureInTurns(subjects, kinds) {
  for (const { load } of subjects) await load[kinds[0]](WARM_UP_MS)
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) {
      // The order of the nodes changes, so that none always follows the same one.
      const turn = subjects.map((_, index) => subjects[(index + round) % subjects.length])
      for (const { load, rates, name, height } of turn) {
        const rate = await load[kind](milliseconds)
        rates.set(kind, [...(rates.get(kind) ?? []), rate])
        say(`${name} at ${height}, ${kind}: ${rate.toFixed(0)}/s`)
      }
    }
  }
}

async function prepareNode(node, height, senders, queues) {
  const client = createClient(node.port)
  for (const raw of senders.preparation) {
    const hash = await client.request('eth_sendRawTransaction', [raw])
    while ((await client.request('eth_getTransactionReceipt', [hash])) === null);
  }
  client.close()
  await mineEmpty(node, height - senders.preparation.length)
  return createAutomineLoad(node, senders.addresses, queues)
}

function reportAutomining(subjects) {
  const rateOf = (name, height, kind) => {
    const subject = subjects.find((one) => one.name === name && one.height === height)
    return subject === undefined ? undefined : median(subject.rates.get(kind))
  }
  const names = Object.keys(starters)
  const titles = {
    concurrent: `${values.connections} connections, included`,
    awaited: 'serial, included: the receipt is there',
    serial: 'serial, the send is answered',
  }
  const rows = [['transactions per second', 'blocks before', ...names, 'ours / Anvil']]
  for (const [kind, title] of Object.entries(titles)) {
    for (const height of heights) {
      const rates = names.map((name) => rateOf(name, height, kind))
      const anvil = rateOf('anvil', height, kind)
      const ratio = anvil === undefined ? undefined : rates[0] / anvil
      rows.push([title, height, ...rates.map((rate) => rate.toFixed(0)), ratio === undefined ? '' : ratio.toFixed(2)])
      const goal = GOALS[kind]
      if (ratio !== undefined && goal !== undefined)
        report(`${title} at ${height}: ${ratio.toFixed(2)} times Anvil (goal ${goal})`, ratio >= goal)
    }
    if (kind === 'awaited') reportAwaited(rateOf)
    const [short, long] = [heights[0], heights.at(-1)].map((height) => rateOf('ours', height, kind))
    if (heights.length > 1)
      report(
        `${title}: ${(long / short).toFixed(2)} of the rate at ${heights[0]} blocks (goal ${GOALS.growth})`,
        long / short >= GOALS.growth,
      )
  }
  tables.push(rows)
}

/** Our time from the send to the receipt; a send that is answered before its block includes less work. */
function reportAwaited(rateOf) {
  for (const height of heights) {
    const ms = 1_000 / rateOf('ours', height, 'awaited')
    report(`send to receipt at ${height}: ${ms.toFixed(2)} ms (goal ${GOALS.awaitedMs})`, ms <= GOALS.awaitedMs)
  }
}

async function snapshots() {
  const rows = [[`ms, ${SLOTS} changed slots`, 'snapshot', 'revert', 'both']]
  for (const [name, start] of Object.entries(starters)) {
    const node = await start()
    const samples = await measureRevert(node, { slots: SLOTS, rounds: 7 })
    await node.stop()
    const [snapshot, revert, both] = ['snapshot', 'revert', 'both'].map((key) => median(samples.map((one) => one[key])))
    rows.push([name, snapshot.toFixed(2), revert.toFixed(2), both.toFixed(2)])
    if (name === 'ours')
      report(`snapshot and revert: ${both.toFixed(2)} ms (goal ${GOALS.snapshotMs})`, both < GOALS.snapshotMs)
  }
  tables.push(rows)
}

async function mining() {
  const rows = [[`hardhat_mine of ${MINED} blocks`, 'ms']]
  for (const [name, start] of Object.entries(starters)) {
    const node = await start()
    const count = name === 'anvil' ? MINED_BY_ANVIL : MINED
    const begin = performance.now()
    await mineEmpty(node, count)
    const ms = ((performance.now() - begin) * MINED) / count
    await node.stop()
    rows.push([name, `${ms.toFixed(0)}${count === MINED ? '' : ` (measured with ${count})`}`])
    if (name === 'ours')
      report(`hardhat_mine of ${MINED}: ${ms.toFixed(0)} ms (goal ${GOALS.mineMs})`, ms < GOALS.mineMs)
  }
  tables.push(rows)
}

const tables = []
if (parts.has('automine')) await automining()
if (parts.has('snapshot')) await snapshots()
if (parts.has('mine')) await mining()
for (const rows of tables) {
  printTable(rows)
  console.log()
}
for (const line of lines) console.log(line)
if (values.markdown !== undefined) {
  const asMarkdown = ([head, ...body]) =>
    [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  writeFileSync(
    values.markdown,
    `${tables.map(asMarkdown).join('\n\n')}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`,
  )
}
process.exitCode = missed.length === 0 ? 0 : 1
