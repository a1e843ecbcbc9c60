// Measures how regularly the pending block changes under a steady load, and how soon it contains accepted sends.
//   npm run bench -- cadence [--rate 50] [--seconds 60] [--profile denim] [--blocks 3000]
// With `--profile denim`, the times and the lateness of `--blocks` canonical blocks, and what they store.
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import { DEVELOPMENT_ACCOUNTS } from '../dist/chain/accounts/development-accounts.js'
import { signTransaction } from '../dist/chain/transaction/transaction-codec.js'
import { startNode } from '../scripts/support/node-process.mjs'
import { measureDenim } from './support/denim-cadence.mjs'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    profile: { type: 'string', default: 'flashblocks' },
    blocks: { type: 'string', default: '3000' },
  },
})
if (values.profile !== 'flashblocks' && values.profile !== 'denim') {
  process.stderr.write('--profile must be flashblocks or denim\n')
  process.exit(2)
}
const rate = Number(values.rate)
const seconds = Number(values.seconds)
const INTERVAL = 200
if (values.profile === 'denim') {
  if (!(rate >= 1 && rate <= 500)) {
    process.stderr.write('with --profile denim, --rate must be 1 to 500 transactions per second\n')
    process.exit(2)
  }
  const isReached = await measureDenim({ rate, blocks: Number(values.blocks) })
  console.log(isReached ? 'all goals reached' : 'a goal was missed')
  process.exit(isReached ? 0 : 1)
}

const node = await startNode()
const socket = new WebSocket(node.ws)
await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))

let requests = 0
const responses = new Map()
const subscriptions = new Map()
socket.on('message', (data) => {
  const message = JSON.parse(data.toString())
  if (message.method === 'eth_subscription') subscriptions.get(message.params.subscription)?.(message.params.result)
  else responses.get(message.id)?.(message)
})
function request(method, params) {
  const id = ++requests
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  return new Promise((resolve) => responses.set(id, resolve)).finally(() => responses.delete(id))
}

/** Times at which the pending block changed. The flashblock that opens a block coincides with the last one before. */
const changes = []
const included = new Map()
const flashblocks = await request('eth_subscribe', ['newFlashblocks', { raw: true }])
subscriptions.set(flashblocks.result, ({ index }) => {
  if (index === 0) return
  changes.push(performance.now())
})
const transactions = await request('eth_subscribe', ['newFlashblockTransactions'])
// The notification of a transaction may precede that of its flashblock: compare by time.
subscriptions.set(transactions.result, (hash) => included.set(hash, performance.now()))

const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000n }
const nonces = DEVELOPMENT_ACCOUNTS.map(() => 0n)
const accepted = new Map()
const refused = []
const end = performance.now() + seconds * 1000
const sends = []
for (let sent = 0, start = performance.now(); performance.now() < end; sent++) {
  const wait = start + (sent * 1000) / rate - performance.now()
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  const sender = sent % DEVELOPMENT_ACCOUNTS.length
  const { raw, hash } = signTransaction(
    {
      type: 2,
      chainId: 31337n,
      nonce: nonces[sender]++,
      to: DEVELOPMENT_ACCOUNTS[(sender + 1) % DEVELOPMENT_ACCOUNTS.length].address,
      value: 1n,
      data: new Uint8Array(0),
      gasLimit: 21_000n,
      accessList: [],
      ...fees,
    },
    DEVELOPMENT_ACCOUNTS[sender].privateKey,
  )
  sends.push(
    request('eth_sendRawTransaction', [`0x${Buffer.from(raw).toString('hex')}`]).then((response) => {
      if (response.error) refused.push(response.error)
      else accepted.set(hash, performance.now())
    }),
  )
}
await Promise.all(sends)
const untilAll = performance.now() + 5_000
while ([...accepted.keys()].some((hash) => !included.has(hash)) && performance.now() < untilAll) {
  await new Promise((resolve) => setTimeout(resolve, 50))
}
socket.terminate()
await node.stop()

const gaps = changes.slice(1).map((time, index) => time - changes[index])
const delays = [...accepted].map(([hash, time]) => {
  const seen = included.get(hash)
  // Half an interval of tolerance: the messages of one update arrive one after the other.
  return seen === undefined
    ? Infinity
    : changes.filter((change) => change > time && change < seen - INTERVAL / 2).length + 1
})
const within = (count) => delays.filter((delay) => delay <= count).length / delays.length
const latencies = [...accepted].map(([hash, time]) => (included.get(hash) ?? Infinity) - time)
const p50 = percentile(gaps, 0.5)
const p99 = percentile(gaps, 0.99)
printTable([
  ['measure', 'value', 'goal'],
  ['updates', changes.length, `${Math.floor((seconds * 1000) / INTERVAL)}`],
  ['time between updates, p50', `${p50.toFixed(1)} ms`, '190 to 210 ms'],
  ['time between updates, p99', `${p99.toFixed(1)} ms`, 'under 250 ms'],
  ['time between updates, max', `${Math.max(...gaps).toFixed(1)} ms`, ''],
  ['accepted', `${accepted.size} of ${sends.length}`, ''],
  ['in the next update', `${(100 * within(1)).toFixed(2)} %`, ''],
  ['in the next or the second', `${(100 * within(2)).toFixed(2)} %`, 'at least 99 %'],
  ['acknowledged to pre-confirmed, p50', `${percentile(latencies, 0.5).toFixed(1)} ms`, ''],
  ['acknowledged to pre-confirmed, p99', `${percentile(latencies, 0.99).toFixed(1)} ms`, ''],
])
for (const error of refused.slice(0, 3)) console.log('refused:', error)
const reached = Math.abs(p50 - INTERVAL) <= 10 && p99 < 250 && within(2) >= 0.99 && refused.length === 0
console.log(reached ? 'all goals reached' : 'a goal was missed')
process.exit(reached ? 0 : 1)
