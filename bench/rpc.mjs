// JSON-RPC under load, compared with Anvil and Hardhat: every node executes the same transactions, measured in turn.
//   npm run bench -- rpc [--only call,receipt,write] [--peers anvil,hardhat|none] [--json] [--markdown FILE] [--pin]
// Takes 15 minutes, longer on a busy machine. `--only` takes ids of rows; an unknown id lists them. Defaults:
// `--seconds 4` per row and node, `--write-seconds 24`, `--connections 64`, `--pipeline 1` (requests in flight per
// connection), `--blocks 2000` (length of the chain). `npm run bench:peers` installs the other nodes. Nodes and load
// generator share all processors; `--pin` gives each node one and the generator another (needs `taskset`).
// `--against DIR,DIR` adds the builds of other checkouts of this repository, to compare before and after in one run.
// `--rpc-workers N` adds a second node with RPC workers. `--profile denim` adds one of that profile, which is compared
// with the default; blocks are then read by number. `--cpu-profile DIR` keeps a CPU profile of our node. Our node syncs
// to the disk of the temporary directory; TMPDIR=/dev/shm excludes the disk.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { createChainContent, FULL_BLOCK, SENDERS } from './support/chain-content.mjs'
import { httpWire } from './support/http-wire.mjs'
import { request } from './support/json-rpc.mjs'
import { runLoad } from './support/load.mjs'
import { installedPeers, startAnvil, startHardhat, startOurs } from './support/peers.mjs'
import { prepareChain } from './support/prepared-chain.mjs'
import { familyMemory } from './support/process-time.mjs'
import { pinTo } from './support/processors.mjs'
import { profileReport, rowsByNumber, startProfile } from './support/profile-peer.mjs'
import { failures, isReached, machine, memoryLine, table, writeMarkdown } from './support/rpc-report.mjs'
import { createRows } from './support/rpc-rows.mjs'
import { percentile, printTable } from './support/statistics.mjs'
import { MOST_ATTEMPTS, MOST_STOLEN, quietestOf } from './support/stolen-time.mjs'
import { webSocketWire } from './support/websocket-wire.mjs'
import { createWriteLoad, encodeSends } from './support/write-load.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    'write-seconds': { type: 'string', default: '24' },
    peers: { type: 'string', default: 'anvil,hardhat' },
    connections: { type: 'string', default: '64' },
    /** Requests in flight per connection. */
    pipeline: { type: 'string', default: '1' },
    blocks: { type: 'string', default: '2000' },
    against: { type: 'string' },
    /** RPC workers of a second Tickertape node, in addition to the one without. */
    'rpc-workers': { type: 'string' },
    json: { type: 'boolean', default: false },
    markdown: { type: 'string' },
    /** Pins each node to one processor and the load generator to another. */
    pin: { type: 'boolean', default: false },
    'cpu-profile': { type: 'string' },
    profile: { type: 'string' },
  },
})
const say = (text) => process.stderr.write(`${text}\n`)
function usage(text) {
  say(text)
  process.exit(2)
}

/** A block takes two seconds; a measurement of the newest block has to end within it. */
const ROUND_MS = 1_000
const WARM_UP_MS = 250
/** Warm-up of the first round, in which the block may change: most code is compiled after it. */
const FIRST_WARM_UP_MS = 2_000
/** Warm-up of sends: of the first round, and of later rounds. */
const WRITE_WARM_UPS_S = [5, 1]
/** Duration of a round of sends: a few blocks, so that disturbances of the machine affect all nodes alike. */
const WRITE_ROUND_S = 6
/** Large enough for blocks of thousands of transfers. */
const GAS_LIMIT = 2_000_000_000n
const PREPARE_BUILD = fileURLToPath(new URL('support/prepare-build.mjs', import.meta.url))
/** Several times the rate that a node accepts, because rounds are repeated. */
const SIGNED_PER_SECOND = 16_000
const ATTEMPTS = 3

if (values['rpc-workers'] !== undefined && !(Number(values['rpc-workers']) > 0))
  usage('--rpc-workers must be a number above 0')
const wantedPeers = values.peers === 'none' ? [] : values.peers.split(',')
if (wantedPeers.some((name) => name !== 'anvil' && name !== 'hardhat'))
  usage('--peers must be anvil, hardhat, both or none')
if (!(Number(values.seconds) > 0 && Number(values['write-seconds']) > 0)) usage('--seconds must be a number above 0')
const only = values.only?.split(',')
const seconds = Number(values.seconds)
const rounds = Math.max(1, Math.round((seconds * 1000) / ROUND_MS))
const roundMs = (seconds * 1000) / rounds
const usualLoad = { connections: Number(values.connections), pipeline: Number(values.pipeline) }
const isWanted = ({ id }) => only === undefined || only.includes(id)

const content = createChainContent({ quietBlocks: Number(values.blocks) })
if (values.profile !== undefined && values.profile !== 'denim' && values.profile !== 'op')
  usage('--profile must be denim or op; a CPU profile is --cpu-profile DIR')
const allRows = values.profile === undefined ? createRows(content) : rowsByNumber(createRows(content), content)
const ids = [...allRows.map(({ id }) => id), 'write']
const unknown = only?.find((id) => !ids.includes(id))
if (unknown !== undefined) usage(`unknown row ${unknown}; rows: ${ids.join(',')}`)
const rows = allRows.filter(isWanted)
const measuresWrites = isWanted({ id: 'write' })

const isPinned = values.pin && pinTo(process.pid, 1)
if (values.pin && !isPinned) usage('--pin requires the program taskset and two processors')
const datadir = mkdtempSync(join(tmpdir(), 'tickertape-bench-'))
const peers = await startAll()
const names = peers.map(({ name }) => name)
const results = new Map()
/** Anonymous memory of each node in bytes after its last round. */
const memory = {}
/** Blocks of transactions that a stage needs, and how many each node has received. */
const fullBlocks = []
const blocksBefore = new Map()
try {
  // A process that just started is still compiling, whatever it executes.
  const [prepared] = encode({ calls: [['eth_blockNumber', []]] })
  for (const peer of peers)
    await runLoad(peer, httpWire, () => prepared, { ...usualLoad, warmUp: 0, milliseconds: 2_000 })
  for (const row of rows) {
    say(row.title)
    const messages = encode(row)
    for (let round = 0; round < rounds; round++) {
      for (const peer of turnOf(round)) await addRound(row, peer, () => measure(row, peer, messages))
    }
  }
  if (measuresWrites) await measureWrites()
} finally {
  for (const peer of peers) await peer.stop()
  rmSync(datadir, { recursive: true, force: true })
}
report()

/** Rotates the order: every node comes first equally often. */
function turnOf(round) {
  return peers.map((_, index) => peers[(index + round) % peers.length])
}

async function startAll() {
  const installed = installedPeers()
  const isThere = (name) => {
    if (wantedPeers.includes(name) && !installed[name]) say(`${name} is not installed: run npm run bench:peers`)
    return wantedPeers.includes(name) && installed[name]
  }
  say(`${content.blocks.length} blocks for every node`)
  const options = { gasLimit: GAS_LIMIT, cpu: isPinned ? '0' : undefined }
  const others = [
    ['anvil', startAnvil],
    ['hardhat', startHardhat],
  ].filter(([name]) => isThere(name))
  await prepareChain(join(datadir, '0'), GAS_LIMIT, content.blocks)
  const workers = values['rpc-workers'] === undefined ? [0] : [0, Number(values['rpc-workers'])]
  for (const count of workers.slice(1)) cpSync(join(datadir, '0'), join(datadir, `${count}`), { recursive: true })
  const ours = workers.map((rpcWorkers) => startPrepared({ ...options, rpcWorkers }))
  const profiled =
    values.profile === undefined
      ? []
      : [startProfile({ ...options, profile: values.profile, datadir: join(datadir, 'profile') }, content.blocks)]
  const builds = values.against?.split(',').map((checkout) => startBuild(resolve(checkout), options)) ?? []
  return Promise.all([
    ...ours,
    ...profiled.map(async (starting) => checked(await starting)),
    ...builds,
    ...others.map(([, start]) => fill(start(options))),
  ])
}

async function startPrepared(options) {
  const directory = values['cpu-profile']
  const nodeFlags = directory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${directory}`]
  return checked(await startOurs({ ...options, datadir: join(datadir, `${options.rpcWorkers}`), nodeFlags }))
}

/** The node of another checkout, on a chain that its own build made of the same blocks. */
async function startBuild(checkout, options) {
  const directory = join(datadir, `build-${basename(checkout)}`)
  const file = `${directory}.json`
  writeFileSync(file, JSON.stringify(content.blocks.map((block) => block.map(({ bytes }) => bytesToText(bytes)))))
  const args = [PREPARE_BUILD, checkout, directory, `${GAS_LIMIT}`, file]
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) usage(`the build in ${checkout} cannot make the chain: run npm run build there`)
  const { startOurs: start } = await import(pathToFileURL(join(checkout, 'bench/support/peers.mjs')).href)
  const peer = await start({ ...options, datadir: directory })
  return checked({ ...peer, name: `Tickertape, ${basename(checkout)}` })
}

function bytesToText(bytes) {
  return Buffer.from(bytes).toString('hex')
}

async function fill(starting) {
  const peer = await starting
  for (const block of content.blocks) await peer.seal(block)
  return checked(peer)
}

async function checked(peer) {
  const number = `0x${content.fullNumber.toString(16)}`
  const count = Number(await request(peer.port, 'eth_getBlockTransactionCountByNumber', [number]))
  if (count !== FULL_BLOCK + (peer.systemTransactions ?? 0))
    throw new Error(`${peer.name} has ${count} transactions in block ${content.fullNumber}`)
  return peer
}

function encode({ calls, batch, isWebSocket }) {
  const wire = isWebSocket ? webSocketWire : httpWire
  return calls.map(([method, params]) => {
    const request = { jsonrpc: '2.0', id: 1, method, params }
    const body = batch === undefined ? request : Array.from({ length: batch }, (_, id) => ({ ...request, id }))
    return wire.encode(JSON.stringify(body))
  })
}

function recordOf(row) {
  if (!results.has(row)) results.set(row, new Map())
  return results.get(row)
}

/** The next block of transactions for a node. All nodes receive the same blocks in order. */
function nextFullBlock(peer) {
  const before = blocksBefore.get(peer) ?? 0
  if (before === fullBlocks.length) fullBlocks.push(content.fullBlock())
  blocksBefore.set(peer, before + 1)
  return fullBlocks[before]
}

/** Appends a round to the results of a row, unless an earlier round failed. */
async function addRound(row, { name, pid }, run) {
  const record = recordOf(row)
  const before = record.get(name) ?? []
  if (before.failure !== undefined) return
  try {
    const load = await quietestOf(async () => {
      const attempt = await run()
      if (attempt.errors > 0) throw new Error(`${attempt.errors} errors, the first: ${attempt.firstError}`)
      return attempt
    })
    record.set(name, [...before, load])
    memory[name] = familyMemory(pid)
  } catch (error) {
    record.set(name, { failure: oneLine(error) })
  }
}

/** Repeats a measurement whose stage ended before it was complete. */
async function measure(row, peer, messages) {
  for (let attempt = 1; ; attempt++) {
    const load = await attemptOf(row, peer, messages)
    if (load !== undefined) return load
    if (row.stage === undefined || attempt === ATTEMPTS) throw new Error('the response is wrong')
  }
}

/** `undefined` if the response is wrong before or after the measurement. */
async function attemptOf(row, peer, messages) {
  const [method, params] = row.calls[0]
  const isRight = async () => row.isRight(await request(peer.port, method, params), { systemTransactions: 0, ...peer })
  if (row.stage === 'latest') await peer.seal(nextFullBlock(peer))
  if (row.stage === 'pending') await peer.hold(nextFullBlock(peer))
  try {
    if (!(await isRight())) return undefined
    const wire = row.isWebSocket ? webSocketWire : httpWire
    let requested = 0
    const next = () => messages[requested++ % messages.length]
    const warmUp = row.stage === undefined && !results.get(row)?.has(peer.name) ? FIRST_WARM_UP_MS : WARM_UP_MS
    const options = { ...usualLoad, ...row.load, warmUp, milliseconds: roundMs }
    const load = await runLoad(peer, wire, next, options)
    // Some nodes still process requests in flight for a while.
    return (await isRight()) ? load : undefined
  } finally {
    if (row.stage === 'pending') await peer.release()
  }
}

async function measureWrites() {
  const total = Number(values['write-seconds'])
  const count = Math.max(1, Math.round(total / WRITE_ROUND_S))
  const warmUps = Array.from({ length: count }, (_, round) => WRITE_WARM_UPS_S[Math.min(round, 1)])
  for (const peer of peers) {
    while ((blocksBefore.get(peer) ?? 0) < fullBlocks.length) await peer.seal(nextFullBlock(peer))
  }
  say('eth_sendRawTransaction')
  const loadedFor = total + warmUps.reduce((sum, warmUp) => sum + warmUp, 0)
  const messages = encodeSends(content.sendQueues(loadedFor * SIGNED_PER_SECOND))
  const accepted = { id: 'write', title: 'eth_sendRawTransaction, token transfers, accepted', goal: 1 }
  const included = { id: 'write', title: 'token transfers in sealed blocks', goal: 1 }
  rows.push(accepted, included)
  const loads = new Map(peers.map((peer) => [peer, createWriteLoad(peer, messages)]))
  for (const [round, warmUp] of warmUps.entries()) {
    for (const peer of turnOf(round)) {
      const options = { warmUp: warmUp * 1000, milliseconds: (total / count) * 1000 }
      await addRound(accepted, peer, () => loads.get(peer)(options))
    }
  }
  for (const [name, record] of recordOf(accepted)) recordOf(included).set(name, inclusion(record))
}

/** Transactions per second between the first and the last block of each round. */
function inclusion(record) {
  if (!Array.isArray(record)) return record
  const span = record.reduce((sum, load) => sum + load.span, 0)
  if (span === 0) return { failure: 'fewer than two blocks under load' }
  return { rate: (record.reduce((sum, load) => sum + load.included, 0) * 1000) / span }
}

/** Processor time that other machines on the same hardware used ("steal"), where the system reports it. */
function disturbance() {
  const loads = [...results.values()].flatMap((record) => [...record.values()].filter(Array.isArray)).flat()
  const shares = loads.map(({ stolen }) => stolen).filter((share) => share !== undefined)
  if (shares.length === 0) return []
  const percent = (share) => `${(share * 100).toFixed(1)} %`
  const repeated = loads.reduce((sum, { attempts }) => sum + attempts - 1, 0)
  return [
    `A round in which other machines on the same hardware took more than ${percent(MOST_STOLEN)} of the requested processor time is repeated, whatever its result, and the quietest of ${MOST_ATTEMPTS} attempts counts: ${loads.length} rounds, ${repeated} repetitions; of the rounds that count, other machines took ${percent(percentile(shares, 0.5))} at the median, ${percent(Math.max(...shares))} at most.`,
  ]
}

function oneLine(error) {
  return error.message.replaceAll(/\s+/g, ' ').slice(0, 300)
}

/** All rounds of a row combined. Every call of a batch counts. */
function summary(record, { batch = 1 }) {
  if (!Array.isArray(record)) return record
  const sum = (value) => record.reduce((total, load) => total + value(load), 0)
  const responses = sum((load) => load.responses)
  if (responses === 0) return { failure: 'no response in time' }
  const latencies = record.flatMap((load) => load.latencies)
  const hasCpu = record.every((load) => load.cpu !== undefined)
  const hasInstructions = record.every((load) => load.instructions !== undefined)
  return {
    rate: (responses * batch * 1000) / sum((load) => load.ms),
    rounds: record.map((load) => (load.responses * batch * 1000) / load.ms),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    bytes: sum((load) => load.bytes) / responses,
    stolen: record.map((load) => load.stolen),
    ...(hasCpu && { cpu: (sum((load) => load.cpu) * 1000) / responses / batch }),
    ...(hasInstructions && { instructions: sum((load) => load.instructions) / responses / batch }),
  }
}

function report() {
  const summaries = rows.map((row) => {
    const { id, title, goal } = row
    const records = [...recordOf(row)].map(([name, record]) => [name, summary(record, row)])
    return { id, title, goal, results: Object.fromEntries(records) }
  })
  const whole = {
    names,
    rows: summaries,
    memory,
    isPinned,
    machine: machine(),
    date: new Date().toISOString().slice(0, 10),
    versions: peers.map(({ name, version }) => `${name}: ${version}`),
    workload: [
      `Every node has the same ${content.blocks.length} blocks of the same transactions. Tickertape stores them on disk, the others in memory. Tickertape makes a flashblock every 200 ms throughout; the others make blocks on request.`,
      `${usualLoad.connections} connections with ${usualLoad.pipeline} requests in flight on each, 4 with one for responses of hundreds of kilobytes; ${seconds} s per row and node, in turns, after a warm-up of ${FIRST_WARM_UP_MS / 1000} s (${WARM_UP_MS} ms where the block has to stay the newest)${isPinned ? '; every node is pinned to one processor, the generator to another' : ''}.`,
      `Transactions: ${SENDERS} senders with one in flight each, for ${values['write-seconds']} s in rounds of ${WRITE_ROUND_S} s, in turns, after a warm-up of ${WRITE_WARM_UPS_S[0]} s (${WRITE_WARM_UPS_S[1]} s in later rounds); every node makes a block every 2 s.`,
      'CPU: processor time of all threads and processes of the node, per request.',
      ...disturbance(),
    ],
  }
  if (values.json) console.log(JSON.stringify(whole, undefined, 2))
  else {
    printTable(table(whole))
    for (const failure of failures(whole)) console.log(`failed: ${failure}`)
    console.log(memoryLine(whole))
  }
  if (values.profile !== undefined) return reportProfile(summaries)
  if (values.markdown !== undefined) writeMarkdown(values.markdown, whole)
  const missed = summaries.filter((row) => isReached(row) === false)
  if (!values.json) console.log(verdict(summaries, missed))
  process.exitCode = missed.length === 0 ? 0 : 1
}

function reportProfile(summaries) {
  const { lines, isReached } = profileReport(summaries, values.profile)
  if (!values.json) printTable(lines)
  process.exitCode = isReached ? 0 : 1
}

function verdict(summaries, missed) {
  if (missed.length > 0) return `${missed.length} goals missed`
  const isCompared = summaries.some((row) => isReached(row) === true)
  return isCompared ? 'all goals reached' : 'no goal was compared: goals are ratios to Anvil'
}
