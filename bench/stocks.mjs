// Reads of the stock service beside `eth_blockNumber`, all over HTTP and in turns, on one node that makes blocks.
//   npm run bench -- stocks [--connections 64] [--milliseconds 3000] [--rounds 3]
import { parseArgs } from 'node:util'
import { startNode } from '../scripts/support/node-process.mjs'
import { httpWire } from './support/http-wire.mjs'
import { runLoad } from './support/load.mjs'
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
const rows = [
  ['eth_blockNumber', httpWire.encode('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}')],
  ['total-supply', read(SUPPLY)],
  ['total-supply, exact', read(`${SUPPLY}?exact=true`)],
  ['total-supply, pending', read(`${SUPPLY}?block=pending`)],
  ['list of 6 stocks', read('/v1/tokenized-stocks')],
  ['list of 6 stocks, pending', read('/v1/tokenized-stocks?block=pending')],
]

const node = await startNode([])
const server = { port: Number(new URL(node.rpc).port), pid: node.child.pid }
const measured = new Map(rows.map(([title]) => [title, []]))
try {
  for (let round = 0; round < rounds; round++) {
    for (const [title, message] of rows) {
      const load = { connections, pipeline: 1, warmUp: 500, milliseconds }
      const run = await runLoad(server, httpWire, () => message, load)
      if (run.errors > 0) throw new Error(`${title}: ${run.firstError}`)
      measured.get(title).push(run)
    }
  }
} finally {
  await node.stop()
}

const median = (runs, of) => percentile(runs.map(of), 0.5)
printTable([
  ['read', 'answers/s', 'CPU us each'],
  ...[...measured].map(([title, runs]) => [
    title,
    Math.round(median(runs, ({ answers, ms }) => (answers / ms) * 1_000)),
    median(runs, ({ answers, cpu }) => (cpu / answers) * 1_000).toFixed(1),
  ]),
])
