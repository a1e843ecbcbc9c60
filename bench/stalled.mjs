// Measures the memory that subscribers which never read cost under load, and the effect on those that read.
//   npm run bench -- stalled [--sockets 1000] [--seconds 30] [--rate 100] [--allow-missed-slots]
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import { DEVELOPMENT_ACCOUNTS } from '../dist/chain/accounts/development-accounts.js'
import { signTransaction } from '../dist/chain/transaction/transaction-codec.js'
import { startNode } from '../scripts/support/node-process.mjs'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    sockets: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '100' },
    // For machines that also do other work.
    'allow-missed-slots': { type: 'boolean', default: false },
  },
})
const [count, seconds, rate] = [values.sockets, values.seconds, values.rate].map(Number)
const LIVE = 10
const MEBIBYTE = 2 ** 20
/** Limits for all stalled connections together, and for the objects of each. */
const GOAL_BYTES = 64 * MEBIBYTE
const SOCKET_BYTES = 48 * 1024
const MISSED_SLOTS = /^tickertape_missed_slots_total (\d+)/m

const node = await startNode(['--max-sockets', String(count + LIVE), '--max-connections', String(2 * count + 100)])
const memory = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${node.child.pid}/status`, 'utf8'))[1]) * 1024
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function rpc(method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(node.rpc, { method: 'POST', headers, body })).json()
}

async function metric(line) {
  const metrics = await (await fetch(`${node.rpc}/metrics`)).text()
  return Number(line.exec(metrics)?.[1] ?? 0)
}

/** A socket with a subscription. The first message is the subscription id. */
async function subscribed(kind, options, onMessage) {
  const socket = new WebSocket(node.ws)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const completed = new Promise((resolve) => socket.once('message', resolve))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: [kind, options] }))
  await completed
  socket.on('error', () => undefined)
  if (onMessage !== undefined) socket.on('message', (data) => onMessage(JSON.parse(data.toString())))
  return socket
}

const nonces = DEVELOPMENT_ACCOUNTS.map(() => 0n)
let sent = 0
async function send() {
  const sender = sent++ % DEVELOPMENT_ACCOUNTS.length
  const { raw } = signTransaction(
    {
      type: 2,
      chainId: 31337n,
      nonce: nonces[sender]++,
      to: DEVELOPMENT_ACCOUNTS[(sender + 1) % DEVELOPMENT_ACCOUNTS.length].address,
      value: 1n,
      // Large enough to fill the socket buffers of the stalled subscribers.
      data: new Uint8Array(4_096).fill(1),
      gasLimit: 300_000n,
      accessList: [],
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
    },
    DEVELOPMENT_ACCOUNTS[sender].privateKey,
  )
  const response = await rpc('eth_sendRawTransaction', `0x${Buffer.from(raw).toString('hex')}`)
  if (response.error) throw new Error(response.error.message)
}

async function load(forSeconds) {
  const end = performance.now() + forSeconds * 1000
  for (let start = performance.now(), done = 0; performance.now() < end; done++) {
    const wait = start + (done * 1000) / rate - performance.now()
    if (wait > 0) await pause(wait)
    await send()
  }
}

const arrivals = []
const received = Array.from({ length: LIVE }, () => [])
const live = []
for (let index = 0; index < LIVE; index++) {
  live.push(
    await subscribed('newFlashblocks', { raw: true }, (message) => {
      received[index].push(message.params.result.index)
      if (index === 0 && message.params.result.index > 0) arrivals.push(performance.now())
    }),
  )
}
await load(Math.min(10, Math.max(3, seconds / 3)))
const alone = intervals()
arrivals.length = 0
const before = memory()
const missedBefore = await metric(MISSED_SLOTS)

const stalled = []
for (let index = 0; index < count; index++) {
  const socket = await subscribed('newFlashblocks', {})
  socket.pause()
  stalled.push(socket)
}
let most = 0
const watching = setInterval(() => {
  most = Math.max(most, memory())
}, 100)
await load(seconds)
clearInterval(watching)
const beside = intervals()
const dropped = await metric(/^tickertape_dropped_consumers_total\{reason="slow"\} (\d+)/m)
const slots = (await metric(MISSED_SLOTS)) - missedBefore
const missed = received.map(gapsOf).reduce((sum, gaps) => sum + gaps, 0)
const cut = live.filter(({ readyState }) => readyState !== WebSocket.OPEN).length
for (const socket of [...stalled, ...live]) socket.terminate()
const stopping = performance.now()
await node.stop()
const stopped = performance.now() - stopping

const growth = most - before
const goal = GOAL_BYTES + count * SOCKET_BYTES
const slotsAllowed = values['allow-missed-slots'] ? Number.POSITIVE_INFINITY : 0
printTable([
  ['measure', 'value', 'goal'],
  ['stalled subscribers', count, ''],
  ['cut off', dropped, ''],
  ['RssAnon before', `${(before / MEBIBYTE).toFixed(0)} MiB`, ''],
  ['RssAnon growth, most', `${(growth / MEBIBYTE).toFixed(0)} MiB`, `at most ${(goal / MEBIBYTE).toFixed(0)} MiB`],
  ['live subscribers cut off', cut, '0'],
  ['messages that live ones missed', missed, '0'],
  ['slots missed', slots, slotsAllowed === 0 ? '0' : ''],
  ['time between flashblocks, p50 without', `${percentile(alone, 0.5).toFixed(0)} ms`, ''],
  ['time between flashblocks, p50 with', `${percentile(beside, 0.5).toFixed(0)} ms`, ''],
  ['time between flashblocks, p99 without', `${percentile(alone, 0.99).toFixed(0)} ms`, ''],
  ['time between flashblocks, p99 with', `${percentile(beside, 0.99).toFixed(0)} ms`, ''],
  ['stopping', `${stopped.toFixed(0)} ms`, ''],
])
const reached = growth <= goal && cut === 0 && missed === 0 && slots <= slotsAllowed
console.log(reached ? 'all goals reached' : 'a goal was missed')
process.exit(reached ? 0 : 1)

function intervals() {
  return arrivals.slice(1).map((time, index) => time - arrivals[index])
}

/** Checks the order: indexes of a block are consecutive, a new block starts at 0. */
function gapsOf(indexes) {
  return indexes.filter((index, at) => at > 0 && index !== 0 && index !== indexes[at - 1] + 1).length
}
