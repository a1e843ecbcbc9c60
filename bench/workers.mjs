// Measures the effect of worker processes on requests and on the sequencer: a mixed load for each number of workers.
//   npm run bench -- workers [--workers 0,1,2] [--seconds 15] [--connections 32] [--sends 200]
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { spawnNode } from '../scripts/support/node-process.mjs'
import { balanceOfData, createChainContent } from './support/chain-content.mjs'
import { httpWire } from './support/http-wire.mjs'
import { request } from './support/json-rpc.mjs'
import { runLoad } from './support/load.mjs'
import { prepareChain } from './support/prepared-chain.mjs'
import { familyTime, processTime } from './support/process-time.mjs'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    workers: { type: 'string', default: '0,1,2' },
    seconds: { type: 'string', default: '15' },
    connections: { type: 'string', default: '32' },
    sends: { type: 'string', default: '200' },
  },
})
const counts = values.workers.split(',').map(Number)
const [seconds, connections, sendsPerSecond] = [values.seconds, values.connections, values.sends].map(Number)
const QUIET_BLOCKS = 20
const GAS_LIMIT = 400_000_000n
const WARM_UP_MS = 3_000
/** Requests of each kind out of a hundred; the rest are sends, at the same rate for each number of workers. */
const MIX = [
  ['eth_blockNumber', 30],
  ['eth_getBlockByNumber', 20],
  ['eth_getBalance', 15],
  ['eth_call', 25],
  ['eth_getLogs', 10],
]
const PROBE = fileURLToPath(new URL('./support/lateness-probe.mjs', import.meta.url))

const content = createChainContent({ quietBlocks: QUIET_BLOCKS })
const sends = sendMessages()
const reads = readMessages()
const prepared = mkdtempSync(join(tmpdir(), 'tickertape-bench-'))
try {
  await prepareChain(prepared, GAS_LIMIT, content.blocks)
  const rows = []
  for (const count of counts) rows.push(await measure(count))
  printTable([
    [
      'workers',
      'answers/s',
      'p50 ms',
      'p99 ms',
      'errors',
      'late p50 ms',
      'p99',
      'max',
      'ticks',
      'CPU writer',
      'workers',
    ],
    ...rows,
  ])
} finally {
  rmSync(prepared, { recursive: true, force: true })
}

/** One row of the table. */
async function measure(count) {
  const datadir = mkdtempSync(join(tmpdir(), 'tickertape-bench-'))
  cpSync(prepared, datadir, { recursive: true })
  const node = await spawnNode(['--datadir', datadir, '--rpc-workers', String(count), '--log-level', 'error'], PROBE)
  const { pid } = node.child
  const cpuNow = () => ({ writer: processTime(pid), workers: familyTime(pid) - processTime(pid) })
  const port = Number(new URL(node.rpc).port)
  try {
    if (BigInt(await request(port, 'eth_blockNumber')) < BigInt(content.fullNumber))
      throw new Error('the chain is not prepared')
    let begun = Number.NaN
    let cpu = { writer: 0, workers: 0 }
    const started = setTimeout(async () => {
      await lateness(node)
      begun = performance.now()
      cpu = cpuNow()
    }, WARM_UP_MS)
    const load = await runLoad({ port }, httpWire, mixed(), {
      connections,
      pipeline: 1,
      warmUp: WARM_UP_MS,
      milliseconds: seconds * 1_000,
    })
    clearTimeout(started)
    const now = cpuNow()
    const share = (after, before) => `${Math.round((100 * (after - before)) / (performance.now() - begun))} %`
    const cpuShares = [share(now.writer, cpu.writer), count === 0 ? '' : share(now.workers, cpu.workers)]
    const delays = await lateness(node)
    if (load.errors > 0) console.log(`with ${count} workers, the first error: ${load.firstError}`)
    const digits = (values_, shares) => shares.map((part) => percentile(values_, part).toFixed(1))
    return [
      count,
      Math.round(load.responses / (load.ms / 1_000)),
      ...digits(load.latencies, [0.5, 0.99]),
      load.errors,
      ...digits(delays, [0.5, 0.99, 1]),
      delays.length,
      ...cpuShares,
    ]
  } finally {
    await node.stop()
    rmSync(datadir, { recursive: true, force: true })
  }
}

/** Delays of all ticks since the last call, in milliseconds. */
async function lateness({ child }) {
  const completed = once(child, 'message')
  child.send('lateness')
  const [message] = await completed
  return message.lateness
}

/** The next request of a connection. Each sender has its own connection, so that its nonces arrive in order. */
function mixed() {
  const begun = performance.now()
  const positions = sends.map(() => 0)
  let sent = 0
  let requested = 0
  return (connection) => {
    const isDue = sent < ((performance.now() - begun) * sendsPerSecond) / 1_000
    const message = isDue && connection < sends.length ? sends[connection][positions[connection]++] : undefined
    if (message === undefined) return reads[requested++ % reads.length]
    sent += 1
    return message
  }
}

function sendMessages() {
  const total = Math.ceil(sendsPerSecond * (seconds + WARM_UP_MS / 1_000 + 5))
  const queues = content.sendQueues(total * Math.ceil(64 / Math.min(64, connections))).slice(0, connections)
  return queues.map((queue) => queue.map(({ raw }) => encode('eth_sendRawTransaction', [raw])))
}

function readMessages() {
  const range = { fromBlock: hex(content.busy.from), toBlock: hex(content.busy.to) }
  const messages = {
    eth_blockNumber: () => [],
    eth_getBlockByNumber: (index) => [index % 2 ? 'latest' : 'pending', false],
    eth_getBalance: (index) => [content.senders[index % content.senders.length].address, 'pending'],
    eth_call: (index) => [callOf(content.senders[index % content.senders.length].address), 'latest'],
    eth_getLogs: () => [{ ...range, topics: [null, `0x${content.rare.slice(2).padStart(64, '0')}`] }],
  }
  const kinds = MIX.flatMap(([method, weight]) => Array(weight).fill(method))
  // Interleaves the kinds: 37 and 100 have no common divisor.
  return kinds.map((_, index) => {
    const method = kinds[(index * 37) % kinds.length]
    return encode(method, messages[method](index))
  })
}

function callOf(holder) {
  return { to: content.token, data: balanceOfData(holder) }
}

function encode(method, params) {
  return httpWire.encode(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}

function hex(number) {
  return `0x${number.toString(16)}`
}
