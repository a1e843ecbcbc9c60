// Measures the delay between a subscriber of the sequencer and subscribers of two replicas.
//   npm run bench -- replica [--subscribers 1000] [--seconds 20] [--transactions 20]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { spawnNode, startNode } from '../scripts/support/node-process.mjs'
import { startHashSubscribers } from './support/hash-subscriber.mjs'
import { requestAll } from './support/json-rpc.mjs'
import { processTime } from './support/process-time.mjs'
import { percentile, printTable } from './support/statistics.mjs'
import { INTERVAL, signTransfer } from './support/steady-load.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    subscribers: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    transactions: { type: 'string', default: '20' },
  },
})
const [count, seconds, transactions] = [values.subscribers, values.seconds, values.transactions].map(Number)
const REPLICAS = 2
/** Target for the 99th percentile, in milliseconds. */
const GOAL = 50
/** Rounds before measurement starts, so that hot code is compiled. */
const WARM_UP = 10

const rounds = WARM_UP + Math.floor((seconds * 1_000) / INTERVAL)
const directory = mkdtempSync(join(tmpdir(), 'tickertape-bench-'))
const node = await startNode()
const replicas = []
for (let index = 0; index < REPLICAS; index += 1) {
  const flags = ['--from', `${node.ws}/replica`, '--datadir', join(directory, String(index))]
  replicas.push(await spawnNode([...flags, '--max-sockets', String(count)], undefined, 'replica'))
}
try {
  // One thread per group, so that receiving for one client does not delay the timestamps of another.
  const reference = await startHashSubscribers(node.ws, 1)
  const subscribers = await Promise.all(
    replicas.map(({ ws }, index) => startHashSubscribers(ws, Math.floor((count + index) / REPLICAS))),
  )
  const signed = Array.from({ length: rounds * transactions }, (_, index) => signTransfer(index))
  const cpuBefore = cpuOfAll()
  await sendSteadily(signed)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const cpu = cpuOfAll().map((now, index) => (now - cpuBefore[index]) / rounds)
  const announced = await reference.end()
  const received = await Promise.all(subscribers.map((thread) => thread.end()))
  report(received, announced, cpu)
} finally {
  await Promise.all(replicas.map((replica) => replica.stop()))
  await node.stop()
  rmSync(directory, { recursive: true, force: true })
}

/** Sends the same number in every interval, without shifting later intervals after a delay. */
async function sendSteadily(signed) {
  const port = Number(new URL(node.rpc).port)
  const begun = performance.now()
  for (let round = 1; round <= rounds; round += 1) {
    const those = signed.slice((round - 1) * transactions, round * transactions)
    await requestAll(
      port,
      those.map((raw) => ['eth_sendRawTransaction', [raw]]),
    )
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + round * INTERVAL - performance.now())))
  }
}

/** Processor time in milliseconds: of the sequencer, of each replica and of this process. */
function cpuOfAll() {
  return [node.child.pid, ...replicas.map(({ child }) => child.pid), process.pid].map(processTime)
}

function report(received, announced, [sequencer, ...others]) {
  const counted = [...announced].slice(WARM_UP * transactions).map(([hash, [at]]) => {
    return received.flatMap((ofReplica) => ofReplica.get(hash) ?? []).map((reported) => reported - at)
  })
  const lags = counted.flat()
  const first = counted.map((ofHash) => Math.min(...ofHash))
  const p99 = percentile(lags, 0.99)
  printTable([
    ['lag ms', 'p50', 'p99', 'max'],
    ...[
      ['all subscribers', lags],
      ['the first of each transaction', first],
    ].map(([title, of]) => [title, ...[0.5, 0.99, 1].map((share) => percentile(of, share).toFixed(1))]),
  ])
  const complete = `${lags.length} of ${counted.length * count} messages`
  console.log(`${complete}, ${count} subscribers, ${REPLICAS} replicas, ${transactions} transactions in ${INTERVAL} ms`)
  console.log(`p99 ${p99.toFixed(1)} ms, goal ${GOAL}: ${p99 < GOAL ? 'reached' : 'missed'}`)
  const [ofReplicas, clients] = [others.slice(0, -1), others.at(-1)]
  const replicaTimes = ofReplicas.map((ms) => ms.toFixed(1)).join(' and ')
  console.log(
    `CPU ms in ${INTERVAL} ms: sequencer ${sequencer.toFixed(1)}, replicas ${replicaTimes}, clients ${clients.toFixed(1)}`,
  )
}
