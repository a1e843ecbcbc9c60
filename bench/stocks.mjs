// Compares reads of the stock service with `eth_blockNumber`, over HTTP and in turns: on a node that makes blocks, and
// on the standalone service in front of that node. The servers share one processor; the clients have another one.
//   npm run bench -- stocks [--connections 64] [--milliseconds 3000] [--rounds 3]
import { parseArgs } from 'node:util'
import { startNode, startStocks } from '../scripts/support/node-process.mjs'
import { eventCosts } from './support/event-fan-out.mjs'
import { holderIndexCosts } from './support/holder-index.mjs'
import { httpWire } from './support/http-wire.mjs'
import { runLoad } from './support/load.mjs'
import { pinTo } from './support/processors.mjs'
import { percentile, printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    connections: { type: 'string', default: '64' },
    milliseconds: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
  },
})
const [connections, milliseconds, rounds] = [values.connections, values.milliseconds, values.rounds].map(Number)
const SUPPLY = '/v1/tokenized-stocks/total-supply/0x5700000000000000000000000000000000000002'

const read = (target) => Buffer.from(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\n\r\n`)
const GOAL = 1
const VERIFY_GOAL_MS = 50
/** Verifications that are measured, after as many that compile code. */
const VERIFICATIONS = 50
const FACTORY = '0xB20f000000000000000000000000000000000000'
const rows = [
  ['eth_blockNumber', httpWire.encode('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}')],
  ['total-supply', read(SUPPLY)],
  ['total-supply, exact', read(`${SUPPLY}?exact=true`)],
  ['total-supply, pending', read(`${SUPPLY}?block=pending`)],
  ['list of 6 stocks', read('/v1/tokenized-stocks')],
  ['list of 6 stocks, pending', read('/v1/tokenized-stocks?block=pending')],
]
/** Reads of one stock, beyond its supply. */
const oneStockRows = [
  ['a stock by symbol', read('/v1/tokenized-stocks/MRDTLd')],
  ['corporate actions of a stock', read('/v1/tokenized-stocks/FJORDd/corporate-actions')],
  ['holders of a stock', read('/v1/tokenized-stocks/MRDTLd/holders')],
  ['history of a supply, 1 point', read('/v1/tokenized-stocks/MRDTLd/history?from=0&to=0')],
  ['supply proof', read('/v1/tokenized-stocks/MRDTLd/supply-proof')],
]
const SUBSCRIBERS = 1_000

const aloneRows = rows.slice(1).map(([title, message]) => [`alone: ${title}`, message])

const node = await startNode(['--max-event-subscribers-per-address', String(SUBSCRIBERS)])
const alone = await startStocks(node.rpc, ['--factory', FACTORY])
const isPinned = [
  [node.child.pid, 0],
  [alone.child.pid, 0],
  [process.pid, 1],
].map(([pid, processor]) => pinTo(pid, processor))
console.log(
  isPinned.every(Boolean)
    ? 'servers on one processor, clients on another one'
    : 'not pinned: pinning requires two processors and `taskset`. The placement of processes affects the result.',
)
const serverOf = (process, url) => ({ port: Number(new URL(url).port), pid: process.child.pid })
const inNode = serverOf(node, node.rpc)
const inFront = serverOf(alone, alone.rest)
const turns = [
  ...[...rows, ...oneStockRows].map((row) => [inNode, ...row]),
  ...aloneRows.map((row) => [inFront, ...row]),
]
/** Milliseconds of each verification of a supply proof. */
let verifyMs
/** Microseconds of processor time per event sent. */
let eventUs
const measured = new Map(turns.map(([, title]) => [title, []]))
try {
  // The first round compiles code and does not count.
  for (let round = -1; round < rounds; round++) {
    for (const [server, title, message] of turns) {
      const load = { connections, pipeline: 1, warmUp: 500, milliseconds }
      const run = await runLoad(server, httpWire, () => message, load)
      if (run.errors > 0) throw new Error(`${title}: ${run.firstError}`)
      if (round >= 0) measured.get(title).push(run)
    }
  }
  verifyMs = await verificationTimes(node.rpc)
  eventUs = await eventCosts(node, { rounds, subscribers: SUBSCRIBERS })
} finally {
  await alone.stop()
  await node.stop()
}

/** The library verifies a proof of the newest sealed block, warm. */
async function verificationTimes(url) {
  const { verifySupply } = await import('../dist/bundle/index.js')
  const proof = await (await fetch(`${url}/v1/tokenized-stocks/MRDTLd/supply-proof`)).json()
  const times = []
  for (let count = 0; count < 2 * VERIFICATIONS; count++) {
    const start = performance.now()
    await verifySupply(proof, { trustedHash: proof.block.hash })
    times.push(performance.now() - start)
  }
  return times.slice(VERIFICATIONS)
}

const median = (values) => percentile(values, 0.5)
const rate = ({ responses, ms }) => (responses / ms) * 1_000
const cost = ({ responses, cpu }) => (cpu / responses) * 1_000
const reference = measured.get('eth_blockNumber')
/** Ratios are computed within a round, in which the available processor time varies less than between rounds. */
const compared = (runs, of) => median(runs.map((run, round) => of(run) / of(reference[round])))
printTable([
  ['read', 'responses/s', 'to eth_blockNumber', 'CPU us each', 'CPU to it'],
  ...[...measured].map(([title, runs]) => [
    title,
    Math.round(median(runs.map(rate))),
    compared(runs, rate).toFixed(2),
    median(runs.map(cost)).toFixed(1),
    compared(runs, cost).toFixed(2),
  ]),
])
const ratio = compared(measured.get('total-supply'), rate)
console.log(
  `total-supply to eth_blockNumber: ${ratio.toFixed(2)}, goal ${GOAL}: ${ratio >= GOAL ? 'reached' : 'missed'}`,
)
const verification = median(verifyMs)
console.log(
  `verifying a supply proof, warm: ${verification.toFixed(1)} ms, p99 ${percentile(verifyMs, 0.99).toFixed(1)} ms, goal ${VERIFY_GOAL_MS} ms: ${verification < VERIFY_GOAL_MS ? 'reached' : 'missed'}`,
)
console.log(`an event to each of ${SUBSCRIBERS} subscribers: ${median(eventUs).toFixed(1)} us of processor time`)
const indexUs = await holderIndexCosts(rounds)
console.log(
  `storing a transfer to a new holder: ${median(indexUs.map((cost) => cost.with)).toFixed(1)} us of processor time with the index of holders, ${median(indexUs.map((cost) => cost.without)).toFixed(1)} without, difference ${median(indexUs.map((cost) => cost.with - cost.without)).toFixed(1)}`,
)
