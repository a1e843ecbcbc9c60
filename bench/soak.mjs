// Tells caches from leaks: memory of every process of a node under a steady load, and which objects of its heaps grow.
//   npm run bench -- soak [--minutes 90] [--snapshots 7] [--workers 2] [--sends 20] [--reads 35]
// `--sends` and `--reads` are per second. The node takes heap snapshots, which collect garbage, at equal intervals, the
// first after a tenth of the time; RssAnon includes what the snapshots needed. A cache fills and stops; a leak grows in
// the second half as fast as in the first. The exit status is 1 if a heap grows in the second half by more than 0.5 MiB
// per minute.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { spawnNode } from '../scripts/support/node-process.mjs'
import { balanceOfData, createChainContent } from './support/chain-content.mjs'
import { growthByClass, takeHeapSnapshot } from './support/heap-snapshots.mjs'
import { createClient } from './support/json-rpc-client.mjs'
import { prepareChain } from './support/prepared-chain.mjs'
import { anonymousMemory, childrenOf } from './support/process-time.mjs'
import { printTable, slope } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    minutes: { type: 'string', default: '90' },
    snapshots: { type: 'string', default: '7' },
    workers: { type: 'string', default: '2' },
    sends: { type: 'string', default: '20' },
    reads: { type: 'string', default: '35' },
  },
})
const [minutes, snapshots, workers, sendsPerSecond, readsPerSecond] = [
  values.minutes,
  values.snapshots,
  values.workers,
  values.sends,
  values.reads,
].map(Number)
const MAX_MIB_PER_MINUTE = 0.5
const CLIENTS = 8
const SHOWN_CLASSES = 8
const MIB = 2 ** 20

const directory = mkdtempSync(join(tmpdir(), 'tickertape-soak-'))
const datadir = join(directory, 'data')
const heaps = join(directory, 'heaps')
for (const folder of [datadir, heaps]) mkdirSync(folder)
const content = createChainContent({ quietBlocks: 20 })
const begun = performance.now()
const now = () => (performance.now() - begun) / 60_000
let isOver = false
let [reads, sends, failures] = [0, 0, 0]
let firstFailure

try {
  await prepareChain(datadir, 400_000_000n, content.blocks)
  process.exitCode = await soak()
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function soak() {
  // RPC workers inherit the environment.
  process.env.NODE_OPTIONS = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${heaps}`
  const node = await spawnNode(['--datadir', datadir, '--rpc-workers', String(workers), '--log-level', 'error'])
  const clients = Array.from({ length: CLIENTS }, () => createClient(Number(new URL(node.rpc).port)))
  const processes = [
    { name: 'writer', pid: node.child.pid },
    ...childrenOf(node.child.pid).map((pid, index) => ({ name: `worker ${index + 1}`, pid })),
  ].map((entry) => ({ ...entry, taken: [] }))
  const loads = [
    everySecond(readsPerSecond, (index) => read(clients[index % CLIENTS], index)),
    everySecond(sendsPerSecond, createSender(clients)),
  ]
  try {
    for (let taken = 0; taken < snapshots; taken += 1) {
      const due = minutes * (0.1 + (0.9 * taken) / (snapshots - 1))
      await sleep(Math.max(0, due - now()) * 60_000)
      for (const entry of processes) await takeSnapshot(entry)
    }
  } finally {
    isOver = true
    await Promise.all(loads)
    for (const client of clients) client.close()
    await node.stop()
  }
  return report(processes)
}

async function takeSnapshot(entry) {
  const memory = anonymousMemory(entry.pid)
  const at = now()
  const heap = await takeHeapSnapshot(entry.pid, heaps)
  entry.taken.push({ at, heap, memory })
  console.log(
    `${at.toFixed(1)} min  ${entry.name}: heap ${(heap.bytes / MIB).toFixed(1)} MiB, RssAnon ${(memory / MIB).toFixed(0)} MiB; ${sends} sends, ${reads} reads`,
  )
}

/** Starts `perSecond` requests a second, evenly; a slow response delays none of the next ones. */
async function everySecond(perSecond, action) {
  const running = new Set()
  const start = performance.now()
  for (let index = 0; !isOver; index += 1) {
    await sleep(Math.max(0, start + (index * 1_000) / perSecond - performance.now()))
    const request = action(index)
      .catch((error) => {
        failures += 1
        firstFailure ??= error.message
      })
      .finally(() => running.delete(request))
    running.add(request)
  }
  await Promise.all(running)
}

/** Token transfers to new recipients, so that the state grows as well. Each sender has its own connection. */
function createSender(clients) {
  const queues = content.sendQueues(sendsPerSecond * 60 * (minutes + 2))
  return async (index) => {
    const sender = index % queues.length
    const transaction = queues[sender][Math.floor(index / queues.length)]
    if (transaction === undefined) return
    await clients[sender % CLIENTS].request('eth_sendRawTransaction', [transaction.raw])
    sends += 1
  }
}

async function read(client, index) {
  const { address } = content.senders[index % content.senders.length]
  const height = `0x${(1 + (index % content.fullNumber)).toString(16)}`
  const busy = `0x${content.busy.from.toString(16)}`
  const hash = content.fullHashes[index % content.fullHashes.length]
  const [method, params] = [
    ['eth_blockNumber', []],
    ['eth_getBlockByNumber', ['latest', true]],
    ['eth_getBlockByNumber', ['pending', false]],
    ['eth_getBalance', [address, 'pending']],
    ['eth_getBalance', [address, height]],
    ['eth_getTransactionCount', [address, 'latest']],
    ['eth_call', [{ to: content.token, data: balanceOfData(address) }, 'latest']],
    ['eth_call', [{ to: content.token, data: balanceOfData(address) }, height]],
    [
      'eth_getLogs',
      [{ fromBlock: busy, toBlock: 'latest', topics: [null, `0x${content.rare.slice(2).padStart(64, '0')}`] }],
    ],
    ['eth_getBlockReceipts', ['latest']],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getTransactionByHash', [hash]],
    ['eth_feeHistory', ['0x10', 'latest', [25, 75]]],
    ['eth_estimateGas', [{ from: address, to: content.token, data: balanceOfData(address) }]],
    ['eth_getStorageAt', [content.token, `0x${(index % 4).toString(16)}`, 'latest']],
    ['debug_traceTransaction', [hash, { tracer: 'callTracer' }]],
  ][index % 16]
  await client.request(method, params)
  reads += 1
}

function report(processes) {
  const middle = minutes * 0.55 - 0.01
  const rows = processes.map(({ name, taken }) => {
    const rate = (part, of) => slope(part.map((sample) => [sample.at, of(sample) / MIB]))
    const second = taken.filter(({ at }) => at >= middle)
    const heapBytes = ({ heap }) => heap.bytes
    const memoryBytes = ({ memory }) => memory
    return {
      late: rate(second, heapBytes),
      cells: [
        name,
        ...[taken[0], taken.at(-1)].map((sample) => (heapBytes(sample) / MIB).toFixed(1)),
        rate(taken, heapBytes).toFixed(2),
        rate(second, heapBytes).toFixed(2),
        ...[taken[0], taken.at(-1)].map((sample) => (memoryBytes(sample) / MIB).toFixed(0)),
      ],
    }
  })
  console.log(`${sends} sends, ${reads} reads, ${failures} failures${firstFailure ? `, first: ${firstFailure}` : ''}`)
  printTable([
    ['process', 'heap MiB first', 'last', 'MiB/min', 'MiB/min second half', 'RssAnon MiB first', 'last'],
    ...rows.map(({ cells }) => cells),
  ])
  for (const { name, taken } of processes) {
    const middleSample = taken.find(({ at }) => at >= middle) ?? taken[0]
    const grown = growthByClass(middleSample.heap, taken.at(-1).heap).slice(0, SHOWN_CLASSES)
    console.log(`${name}: growth of the second half by class`)
    for (const { label, bytes, count } of grown)
      console.log(`  ${(bytes / 1024).toFixed(0).padStart(8)} KiB  ${String(count).padStart(8)}  ${label}`)
  }
  const leaking = rows.some(({ late }) => late > MAX_MIB_PER_MINUTE) || failures > 0
  console.log(leaking ? 'a goal was missed' : 'all goals reached')
  return leaking ? 1 : 0
}
