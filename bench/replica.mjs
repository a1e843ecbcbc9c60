// How much later than the sequencer's own subscribers those of two replicas hear of a transaction.
//   npm run bench -- replica [--subscribers 1000] [--seconds 20] [--transactions 20]
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { DEVELOPMENT_ACCOUNTS } from '../dist/chain/development-accounts.js'
import { signTransaction } from '../dist/chain/transaction-codec.js'
import { bytesToHex } from '../dist/primitives/hex.js'
import { spawnNode, startNode } from '../scripts/support/node-process.mjs'
import { instant, subscribeToHashes } from './support/hash-subscriber.mjs'
import { askAll } from './support/json-rpc.mjs'
import { percentile, printTable } from './support/statistics.mjs'

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
const INTERVAL = 200
/** Milliseconds, p99 (issue 7). */
const GOAL = 50

const directory = mkdtempSync(join(tmpdir(), 'tickertape-bench-'))
const node = await startNode()
const replicas = []
for (let index = 0; index < REPLICAS; index += 1) {
  const flags = ['--from', `${node.ws}/replica`, '--datadir', join(directory, String(index))]
  replicas.push(await spawnNode([...flags, '--max-sockets', String(count)], undefined, 'replica'))
}
try {
  // In a thread of its own, so that it is not told later because others are told.
  const reference = new Worker(new URL('./support/hash-subscriber.mjs', import.meta.url), {
    workerData: { hashesFrom: node.ws },
  })
  await once(reference, 'message')
  const heard = []
  const sockets = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      subscribeToHashes(replicas[index % REPLICAS].ws, (hash, at) => heard.push([hash, at])),
    ),
  )
  await sendSteadily()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  reference.postMessage('end')
  const [announced] = await once(reference, 'message')
  for (const socket of sockets) socket.destroy()
  await reference.terminate()
  report(heard, announced)
} finally {
  await Promise.all(replicas.map((replica) => replica.stop()))
  await node.stop()
  rmSync(directory, { recursive: true, force: true })
}

/** The same number in every interval, whatever was late before. */
async function sendSteadily() {
  const port = Number(new URL(node.rpc).port)
  const begun = instant()
  let sent = 0
  for (let round = 1; round * INTERVAL <= seconds * 1_000; round += 1) {
    const calls = Array.from({ length: transactions }, () => ['eth_sendRawTransaction', [signed(sent++)]])
    await askAll(port, calls)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + round * INTERVAL - instant())))
  }
}

function signed(index) {
  const sender = index % DEVELOPMENT_ACCOUNTS.length
  const { raw } = signTransaction(
    {
      type: 2,
      chainId: 31_337n,
      nonce: BigInt(Math.floor(index / DEVELOPMENT_ACCOUNTS.length)),
      to: DEVELOPMENT_ACCOUNTS[(sender + 1) % DEVELOPMENT_ACCOUNTS.length].address,
      value: 1n,
      data: new Uint8Array(0),
      gasLimit: 21_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
      accessList: [],
    },
    DEVELOPMENT_ACCOUNTS[sender].privateKey,
  )
  return bytesToHex(raw)
}

function report(heard, announced) {
  const lags = heard.flatMap(([hash, at]) => (announced.has(hash) ? [at - announced.get(hash)] : []))
  const p99 = percentile(lags, 0.99)
  printTable([
    ['subscribers', 'replicas', 'transactions', 'told', 'of', 'p50 ms', 'p99 ms', 'max ms', 'goal p99'],
    [
      count,
      REPLICAS,
      announced.size,
      heard.length,
      announced.size * count,
      percentile(lags, 0.5).toFixed(1),
      p99.toFixed(1),
      percentile(lags, 1).toFixed(1),
      `${GOAL} ms: ${p99 < GOAL ? 'met' : 'missed'}`,
    ],
  ])
}
