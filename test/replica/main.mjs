// `npm run test:replica -- --help` describes this program and its options.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnNode } from '../../scripts/support/node-process.mjs'
import { listen, result } from '../crash/client.mjs'
import { chainFlags } from '../support/chain-profile.mjs'
import { hasNatsServer, startNatsServer } from '../support/nats-server.mjs'
import { seededRandom } from '../support/seeded-random.mjs'
import { compareEverything, timeUntilEqual } from './comparison.mjs'
import { startLoad } from './load.mjs'
import { values } from './options.mjs'
import { DISTURBANCES, startStreamProxy } from './stream-proxy.mjs'

/** Also: the node is killed, the node unwinds blocks, the NATS server is killed. */
const KINDS = [...DISTURBANCES, 'kill', 'setHead', ...(hasNatsServer ? ['nats'] : [])]
/** Blocks between latest and finalized: ten seconds. */
const FINALITY_DEPTHS = { flashblocks: '5', denim: '50' }
const REPLICAS = 3
/** Milliseconds of load before the first disturbance. */
const WARM_UP = 4_000
/** Milliseconds by which messages are delayed. */
const DELAY = 400
/** Timeout for steps that are not measured: comparisons of nodes that progress need several attempts. */
const PATIENCE = 20_000

const limit = values.limit
const random = seededRandom(values.seed)
const chain = chainFlags(values.profile)
const schedule = ['--finality-depth', FINALITY_DEPTHS[values.profile], '--log-level', 'silent']
const directory = mkdtempSync(join(tmpdir(), 'tickertape-replicas-'))
const times = []
const faults = []
let preconfirmed = new Map()
let checked = 0
let compared = 0

const nats = hasNatsServer ? await startNatsServer() : undefined
let node = await startSequencer()
const proxy = await startStreamProxy(() => Number(new URL(node.rpc).port))
const replicas = []
try {
  for (let index = 0; index < REPLICAS; index += 1) replicas.push(await startReplica(index))
  const ended = []
  for (const [index, { exited }] of replicas.entries())
    exited.then((end) => ended.push(`replica ${index} ended (${end})`))
  for (const { ws } of replicas) void listen(ws, [inclusions()])
  const load = startLoad(() => [node.rpc, ...replicas.map(({ rpc }) => rpc)], random)
  // New processes are slow for unrelated reasons.
  await new Promise((resolve) => setTimeout(resolve, WARM_UP))
  for (let round = 1; round <= values.rounds && ended.length === 0; round += 1) {
    const kind = KINDS[(round - 1) % KINDS.length]
    await new Promise((resolve) => setTimeout(resolve, 200 + random() * 800))
    await disturb(kind)
    const took = await Promise.all(replicas.map(({ rpc }) => timeUntilEqual(node.rpc, rpc, PATIENCE)))
    report(round, kind, took)
    if (round % 5 === 0) await compare()
  }
  await load.stop()
  await compare()
  await checkPreconfirmed()
  faults.push(...ended, ...load.counts.unread.map((hash) => `not found where it was sent: ${hash}`))
  finish(load.counts)
} finally {
  await Promise.all(replicas.map((replica) => replica.stop()))
  await proxy.close()
  await node.stop()
  await nats?.close()
  rmSync(directory, { recursive: true, force: true })
}

function startSequencer() {
  return spawnNode(['--datadir', join(directory, 'node'), ...chain, ...schedule, ...(nats ? ['--nats', nats.url] : [])])
}

function startReplica(index) {
  const from = sourceOf(index)
  const flags = [...chain, '--from', from, '--datadir', join(directory, `replica${index}`), '--log-level', 'silent']
  return spawnNode(flags, undefined, 'replica')
}

/** The second replica uses NATS, the last one follows the first replica. */
function sourceOf(index) {
  if (index === 1 && nats !== undefined) return nats.url
  return index === REPLICAS - 1 ? `${replicas[0].ws}/replica` : `ws://127.0.0.1:${proxy.port}/replica`
}

/** Resolves when the disturbance is over. */
async function disturb(kind) {
  switch (kind) {
    case 'kill':
      await checkPreconfirmed()
      node.child.kill('SIGKILL')
      await node.exited
      node = await startSequencer()
      return
    case 'nats':
      await nats.restart()
      return
    case 'setHead': {
      await checkPreconfirmed()
      const latest = Number(await result(node.rpc, 'eth_blockNumber'))
      const target = Math.max(0, latest - 1 - Math.floor(random() * 3))
      await result(node.rpc, 'debug_setHead', `0x${target.toString(16)}`)
      // Transactions of unwound blocks may be included at another position.
      preconfirmed = new Map()
      return
    }
    default:
      await proxy.disturb(kind)
      if (kind !== 'delay') return
      await new Promise((resolve) => setTimeout(resolve, DELAY))
      proxy.release()
  }
}

/** A subscription to the positions of transactions, as early as the chain announces them. */
function inclusions() {
  if (values.profile === 'flashblocks') return [['newFlashblockTransactions', true], seePreconfirmed]
  const see = (receipts) => {
    for (const { transactionHash: hash, ...position } of receipts) seePreconfirmed({ hash, ...position })
  }
  return [['transactionReceipts'], see]
}

function seePreconfirmed({ hash, blockNumber, transactionIndex }) {
  const position = `${blockNumber} ${transactionIndex}`
  const before = preconfirmed.get(hash)
  if (before !== undefined && before !== position) faults.push(`${hash} was at ${before}, then at ${position}`)
  preconfirmed.set(hash, position)
}

/** Checks that sealed blocks contain what replicas showed in open blocks, at the same position. */
async function checkPreconfirmed() {
  const sealed = Number(await result(node.rpc, 'eth_blockNumber'))
  for (const [hash, position] of [...preconfirmed]) {
    if (Number(position.split(' ')[0]) > sealed) continue
    preconfirmed.delete(hash)
    const receipt = await result(node.rpc, 'eth_getTransactionReceipt', hash)
    const found = receipt === null ? 'nowhere' : `${receipt.blockNumber} ${receipt.transactionIndex}`
    if (found !== position) faults.push(`${hash} was pre-confirmed at ${position} and is ${found}`)
    checked += 1
  }
}

async function compare() {
  for (const [index, { rpc }] of replicas.entries()) {
    const { compared: more, different } = await compareEverything(node.rpc, rpc, random, PATIENCE)
    compared += more
    faults.push(...different.map((what) => `replica ${index}: ${what}`))
  }
}

function report(round, kind, took) {
  for (const [index, time] of took.entries()) {
    if (time === undefined) faults.push(`replica ${index} did not come back after ${kind} (round ${round})`)
    else times.push({ kind, time })
    if (time > limit) faults.push(`replica ${index} took ${Math.round(time)} ms after ${kind} (round ${round})`)
  }
  process.stderr.write(`${round}: ${kind}, equal after ${took.map((time) => Math.round(time)).join(', ')} ms\n`)
}

function finish({ sent, refused, unanswered }) {
  for (const fault of faults.slice(0, 20)) process.stderr.write(`fault: ${fault.slice(0, 2_000)}\n`)
  const sorted = times.map(({ time }) => time).sort((a, b) => a - b)
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
  process.stdout.write(
    `disturbances ${values.rounds}, replicas ${REPLICAS}, equal after ${at(0.5)} ms (median), ${at(1)} ms (worst); sent ${sent}, refused ${refused}, unanswered ${unanswered}, pre-confirmed and sealed ${checked}, answers compared ${compared}, faults ${faults.length}\n`,
  )
  process.exitCode = faults.length > 0 ? 1 : 0
}
